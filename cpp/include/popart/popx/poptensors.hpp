// Poplar tensors by the ids of the model's. After popart/popx/poptensors.hpp of PopART 3.
#ifndef popart_popx_poptensors_hpp
#define popart_popx_poptensors_hpp

#include <popart/names.hpp>
#include <poplar/Tensor.hpp>

#include <unordered_map>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// The tensors that exist so far. Each has the shape that the model has, so that none has a view.
class PopTensors {
 public:
  bool contains(const TensorId& id) const { return tensors_.count(id) != 0; }
  /// \throws error for an unknown id
  const poplar::Tensor& get(const TensorId& id) const;
  const poplar::Tensor& getView(const TensorId& id) const { return get(id); }
  bool hasViewChangers(const TensorId&) const { return false; }
  /// Sets or replaces the tensor of an id.
  void insert(const TensorId& id, const poplar::Tensor& tensor) { tensors_[id] = tensor; }
  void insertUnsafe(const TensorId& id, const poplar::Tensor& tensor) { insert(id, tensor); }
  void erase(const TensorId& id) { tensors_.erase(id); }

 private:
  std::unordered_map<TensorId, poplar::Tensor> tensors_;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
