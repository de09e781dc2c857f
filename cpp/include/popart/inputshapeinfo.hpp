// Shapes of model inputs that the model does not specify.
// After popart/inputshapeinfo.hpp of PopART 3.
#ifndef popart_inputshapeinfo_hpp
#define popart_inputshapeinfo_hpp

#include <popart/tensorinfo.hpp>

#include <map>
#include <vector>

namespace popart {

/// Maps input ids to their types and shapes. get() throws std::out_of_range for an unknown id.
class InputShapeInfo {
 public:
  InputShapeInfo() = default;

  void add(const TensorId& id, const TensorInfo& info) { infos_[id] = info; }
  const TensorInfo& get(const TensorId& id) const { return infos_.at(id); }
  const std::map<TensorId, TensorInfo>& getInfos() const { return infos_; }
  std::vector<TensorId> getAllTensorIds() const {
    std::vector<TensorId> ids;
    for (const auto& each : infos_) ids.push_back(each.first);
    return ids;
  }
  bool has(const TensorId& id) const { return infos_.count(id) != 0; }

 private:
  std::map<TensorId, TensorInfo> infos_;
};

}  // namespace popart

#endif
