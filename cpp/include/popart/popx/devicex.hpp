// The state of lowering a graph: the Poplar graph, and its tensors by id.
// After popart/popx/devicex.hpp of PopART 3.
#ifndef popart_popx_devicex_hpp
#define popart_popx_devicex_hpp

#include <popart/names.hpp>
#include <popart/op/restore.hpp>
#include <popart/popx/irlowering.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>

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

  // The lowering's tensors.
  void insert(const TensorId& id, const poplar::Tensor& tensor) {
    lowering_.tensors().insert(id, tensor);
  }
  bool contains(const TensorId& id) const { return lowering_.tensors().contains(id); }
  /// \throws error for an unknown id
  const poplar::Tensor& get(const TensorId& id) const { return lowering_.tensors().get(id); }
  void erase(const TensorId& id) { lowering_.tensors().erase(id); }

  /// The planning cache for poplin's functions.
  poplin::PlanningCache convCache;
  poplin::matmul::PlanningCache matmulCache;

 private:
  IrLowering lowering_;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
