#include <popart/popx/eitheropx.hpp>

namespace popart {
namespace popx {

EitherOpx::~EitherOpx() = default;

void EitherOpx::grow(poplar::program::Sequence& prog) const {
  snap::program::Sequence wrapped(prog);
  grow(wrapped);
}

void EitherOpx::grow(snap::program::Sequence& prog) const { Opx::grow(prog.getPoplarSequence()); }

poplar::Tensor EitherOpx::unwindTensorLayout(poplar::Tensor tensor, InIndex in,
                                             OutIndex out) const {
  return unwindTensorLayout(snap::Tensor(tensor, graph()), in, out).getPoplarTensor();
}

snap::Tensor EitherOpx::unwindTensorLayout(snap::Tensor tensor, InIndex in, OutIndex out) const {
  return {Opx::unwindTensorLayout(tensor.getPoplarTensor(), in, out), graph()};
}

snap::Tensor EitherOpx::cloneNcopy(snap::program::Sequence& prog, const snap::Tensor& tensor,
                                   const std::string& name) const {
  return {Opx::cloneNcopy(prog.getPoplarSequence(), tensor.getPoplarTensor(), name), graph()};
}

snap::Tensor EitherOpx::cloneNcopy(snap::program::Sequence& prog, TensorId id) const {
  return {Opx::cloneNcopy(prog.getPoplarSequence(), id), graph()};
}

}  // namespace popx
}  // namespace popart
