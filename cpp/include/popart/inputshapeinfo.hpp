// popart/inputshapeinfo.hpp: shapes of a model's inputs that the model leaves open.
#ifndef popart_inputshapeinfo_hpp
#define popart_inputshapeinfo_hpp

#include <popart/tensorinfo.hpp>

#include <map>

namespace popart {

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
