// The state of lowering a graph: the Poplar graph, and its tensors by id.
// After popart/popx/devicex.hpp of PopART 3.
#ifndef popart_popx_devicex_hpp
#define popart_popx_devicex_hpp

#include <popart/names.hpp>
#include <popart/popx/irlowering.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>

#include <string>
#include <unordered_map>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// One object per lowering, shared by operators written in C++ and in Python.
class Devicex {
 public:
  /// The graph must outlive this object.
  explicit Devicex(poplar::Graph& graph) : lowering_(graph) {}
  Devicex(const Devicex&) = delete;
  Devicex& operator=(const Devicex&) = delete;

  poplar::Graph& graph() const { return lowering_.graph(); }
  const IrLowering& lowering() const { return lowering_; }
  IrLowering& lowering() { return lowering_; }
  unsigned getReplicationFactor() const { return lowering_.getReplicationFactor(); }
  bool isReplicatedGraph() const { return lowering_.isReplicatedGraph(); }

  /// Sets or replaces the tensor of an id.
  void insert(const TensorId& id, const poplar::Tensor& tensor) { tensors_[id] = tensor; }
  bool contains(const TensorId& id) const { return tensors_.count(id) != 0; }
  /// \throws error for an unknown id
  const poplar::Tensor& get(const TensorId& id) const;
  void erase(const TensorId& id) { tensors_.erase(id); }

  /// The planning cache for poplin's functions.
  poplin::PlanningCache convCache;
  poplin::matmul::PlanningCache matmulCache;

 private:
  IrLowering lowering_;
  std::unordered_map<TensorId, poplar::Tensor> tensors_;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
