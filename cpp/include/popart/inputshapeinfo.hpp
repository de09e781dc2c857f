// Shapes of model inputs that the model does not specify.
// After popart/inputshapeinfo.hpp of PopART 3.
#ifndef popart_inputshapeinfo_hpp
#define popart_inputshapeinfo_hpp

#include <popart/tensorinfo.hpp>

#include <map>

namespace popart {

/// Maps input ids to their types and shapes. get() throws std::out_of_range for an unknown id.
class InputShapeInfo {
 public:
  InputShapeInfo() = default;

  void add(const TensorId& id, const TensorInfo& info) { infos_[id] = info; }
  const TensorInfo& get(const TensorId& id) const { return infos_.at(id); }
  bool has(const TensorId& id) const { return infos_.count(id) != 0; }

 private:
  std::map<TensorId, TensorInfo> infos_;
};

}  // namespace popart

#endif
