#include <popart/popx/popopx.hpp>

namespace popart {
namespace popx {

PopOpx::~PopOpx() = default;

snap::Tensor PopOpx::unwindTensorLayout(snap::Tensor tensor, InIndex in, OutIndex out) const {
  return {Opx::unwindTensorLayout(tensor.getPoplarTensor(), in, out), graph_};
}

void PopOpx::grow(poplar::program::Sequence& prog) const {
  snap::program::Sequence sequence(prog);
  grow(sequence);
}

poplar::Tensor PopOpx::unwindTensorLayout(poplar::Tensor tensor, InIndex in, OutIndex out) const {
  return unwindTensorLayout(snap::Tensor(tensor, graph_), in, out).getPoplarTensor();
}

}  // namespace popx
}  // namespace popart
