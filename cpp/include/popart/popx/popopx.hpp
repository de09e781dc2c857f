// popart/popx/popopx.hpp: Opx in the interface of SDK 2.x, whose device tensors are snap's.
#ifndef popart_popx_popopx_hpp
#define popart_popx_popopx_hpp

#include <popart/popx/opx.hpp>
#include <snap/Graph.hpp>
#include <snap/Program.hpp>
#include <snap/Tensor.hpp>

#include <string>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// A lowering whose grow() takes a snap::program::Sequence. One that creates inputs derives from
/// Opx.
class PopOpx : public Opx {
 public:
  PopOpx(Op* op, Devicex* devicex) : Opx(op, devicex), graph_(Opx::graph()) {}
  ~PopOpx() override;

  virtual void grow(snap::program::Sequence& prog) const = 0;
  virtual snap::Tensor unwindTensorLayout(snap::Tensor tensor, InIndex in, OutIndex out) const;

  snap::Graph& graph() const { return graph_; }
  snap::Graph& topLevelGraph() const { return graph_; }
  snap::Tensor getInTensor(InIndex index) const { return {Opx::getInTensor(index), graph_}; }
  snap::Tensor getOutTensor(OutIndex index) const { return {Opx::getOutTensor(index), graph_}; }
  snap::Tensor get(TensorId id) const { return {Opx::get(id), graph_}; }
  void setOutTensor(OutIndex index, const snap::Tensor& tensor) const {
    Opx::setOutTensor(index, tensor.getPoplarTensor());
  }
  snap::Tensor cloneNcopy(snap::program::Sequence& prog, const snap::Tensor& tensor,
                          const std::string& name = "") const {
    return {Opx::cloneNcopy(prog.getPoplarSequence(), tensor.getPoplarTensor(), name), graph_};
  }

  // What the compiler calls; each goes on to its namesake above.
  void grow(poplar::program::Sequence& prog) const final;
  poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex in, OutIndex out) const final;

 private:
  mutable snap::Graph graph_;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
