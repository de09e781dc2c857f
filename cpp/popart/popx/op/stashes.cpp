// Stash and Restore: a place of several, which comes after the one before.
#include <popart/op/restore.hpp>
#include <popart/op/stash.hpp>
#include <popart/popx/op/restorex.hpp>
#include <popart/popx/op/stashx.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>

#include <cstdint>

namespace popart {
namespace popx {
namespace {

/// The number of the place that is next; 0 at first.
poplar::Tensor addPlace(const Opx& opx) {
  poplar::Graph& graph = opx.graph();
  const poplar::Tensor place =
      graph.addVariable(poplar::UNSIGNED_INT, {1}, opx.debugContext("place"));
  graph.setTileMapping(place, 0);
  graph.setInitialValue(place, poplar::ArrayRef<std::uint32_t>({0}));
  return place;
}

void goOn(const Opx& opx, poplar::program::Sequence& prog, const poplar::Tensor& place,
          std::size_t places) {
  using namespace popops::expr;
  const auto last = static_cast<unsigned>(places);
  popops::mapInPlace(opx.graph(), Rem(Add(_1, Const(1u)), Const(last)), {place}, prog,
                     opx.debugContext("next"));
}

}  // namespace

StashOpx::StashOpx(Op* op, Devicex* devicex) : Opx(op, devicex) { verifyOp<StashOp>(op); }
StashOpx::~StashOpx() = default;
RestoreOpx::RestoreOpx(Op* op, Devicex* devicex) : RestoreBaseOpx(op, devicex) {}
RestoreOpx::~RestoreOpx() = default;
RestoreInplaceOpx::RestoreInplaceOpx(Op* op, Devicex* devicex) : RestoreBaseOpx(op, devicex) {}
RestoreInplaceOpx::~RestoreInplaceOpx() = default;

void StashOpx::grow(poplar::program::Sequence& prog) const {
  const poplar::Tensor row = getInTensor(StashOp::getInIndex()).expand({0});
  const auto places = static_cast<std::size_t>(getOp<StashOp>().getStashSize());
  const poplar::Tensor stash =
      popops::createSliceableTensorFromSlice(graph(), row, {0}, {places}, debugContext("stash"));
  const poplar::Tensor place = addPlace(*this);
  popops::dynamicUpdate(graph(), stash, row, place, {0}, {1}, prog, debugContext("write"));
  goOn(*this, prog, place, places);
  setOutTensor(StashOp::getOutIndex(), stash);
}

template <typename Derived>
poplar::Tensor RestoreBaseOpx<Derived>::growRestore(poplar::program::Sequence& prog,
                                                    const poplar::Tensor& stash) const {
  const poplar::Tensor place = addPlace(*this);
  const poplar::Tensor row =
      popops::dynamicSlice(graph(), stash, place, {0}, {1}, prog, debugContext("read"));
  goOn(*this, prog, place, stash.dim(0));
  return row.squeeze({0});
}

template class RestoreBaseOpx<RestoreOpx>;
template class RestoreBaseOpx<RestoreInplaceOpx>;

void RestoreOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(RestoreOp::getRestoredActOutIndex(),
               growRestore(prog, getInTensor(RestoreOp::getStashInIndex())));
}

void RestoreInplaceOpx::grow(poplar::program::Sequence& prog) const {
  const poplar::Tensor restored = getInTensor(RestoreInplaceOp::getActToRestoreInIndex());
  prog.add(
      poplar::program::Copy(growRestore(prog, getInTensor(RestoreInplaceOp::getStashInIndex())),
                            restored, false, debugContext("restore")));
  setOutTensor(RestoreInplaceOp::getRestoredActOutIndex(), restored);
}

}  // namespace popx
}  // namespace popart
