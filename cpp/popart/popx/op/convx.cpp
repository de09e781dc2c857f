#include <popart/op/conv.hpp>
#include <popart/popx/op/convx.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace popart {
namespace popx {

ConvFlipWeightsGradOpx::ConvFlipWeightsGradOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {
  verifyOp<ConvFlipWeightsOp>(op);
}
ConvFlipWeightsGradOpx::~ConvFlipWeightsGradOpx() = default;

void ConvFlipWeightsGradOpx::grow(poplar::program::Sequence& prog) const {
  poplar::Tensor weights = getInTensor(ConvFlipWeightsOp::getInIndex());
  const auto groups = static_cast<std::size_t>(getOp<ConvFlipWeightsOp>().getGroups());
  for (unsigned d = 2; d < weights.rank(); ++d) weights = weights.reverse(d);
  // [groups, out, in, window...], with out and in exchanged.
  std::vector<std::size_t> shape = weights.shape();
  shape[0] /= groups;
  shape.insert(shape.begin(), groups);
  weights = weights.reshape(shape).dimShufflePartial({1, 2}, {2, 1});
  std::swap(shape[1], shape[2]);
  shape[1] *= groups;
  shape.erase(shape.begin());
  setOutTensor(ConvFlipWeightsOp::getOutIndex(), cloneNcopy(prog, weights.reshape(shape)));
}

}  // namespace popx
}  // namespace popart
