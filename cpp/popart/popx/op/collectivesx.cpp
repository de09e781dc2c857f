#include <popart/op/collectives/replicatedallgather.hpp>
#include <popart/op/collectives/replicatedallreduce.hpp>
#include <popart/op/collectives/replicatedreducescatter.hpp>
#include <popart/popx/op/collectives/replicatedallgatherx.hpp>
#include <popart/popx/op/collectives/replicatedallreducex.hpp>
#include <popart/popx/op/collectives/replicatedreducescatterx.hpp>
#include <popart/popx/op/normx.hpp>
#include <poplar/Program.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

#include "poplar/graph_impl.hpp"

namespace popart {
namespace popx {

gcl::CollectiveOperator getPoplarCollectiveOperator(CollectiveOperator op) {
  if (op >= CollectiveOperator::N) throw error("No collective operator has the number {}", int(op));
  // The two lists have one order.
  return static_cast<gcl::CollectiveOperator>(op);
}

gcl::CommGroup toGclCommGroup(const ReplicaGrouping& grouping) {
  return gcl::CommGroup(gcl::CommGroupType::CONSECUTIVE, grouping.getGroupSize(),
                        grouping.getStride());
}

gcl::CommGroup toGCLCommGroup(const CommGroup& group) {
  switch (group.type) {
    case CommGroupType::All: return gcl::CommGroup();
    case CommGroupType::Consecutive:
      return gcl::CommGroup(gcl::CommGroupType::CONSECUTIVE, group.replicaGroupSize);
    case CommGroupType::Orthogonal:
      return gcl::CommGroup(gcl::CommGroupType::ORTHOGONAL, group.replicaGroupSize);
    case CommGroupType::None: return gcl::CommGroup(gcl::CommGroupType::CONSECUTIVE, 1);
    case CommGroupType::N: break;
  }
  throw error("No type of a group of replicas has the number {}", int(group.type));
}

either::CollectivesBaseOpx::CollectivesBaseOpx(Op* op, Devicex* devicex) : EitherOpx(op, devicex) {
  const auto* collective = dynamic_cast<const CollectivesBaseOp*>(op);
  const unsigned replicas = graph().impl()->replicas;
  if (collective != nullptr && collective->getReplicaGrouping().getGroupSize() > replicas)
    throw error("{}: {} has groups of {} replicas, but the session has {}: give groups of no more",
                op->debugName(), collective->getReplicaGrouping(),
                collective->getReplicaGrouping().getGroupSize(), replicas);
}

either::CollectivesBaseOpx::~CollectivesBaseOpx() = default;

snapped::CollectivesBaseOpx::CollectivesBaseOpx(Op* op, Devicex* devicex)
    : PopOpx(op, devicex), collectives_(new either::CollectivesBaseOpx(op, devicex)) {}

snapped::CollectivesBaseOpx::~CollectivesBaseOpx() = default;
ReplicatedAllReduceOpx::~ReplicatedAllReduceOpx() = default;
ReplicatedAllReduceInplaceOpx::~ReplicatedAllReduceInplaceOpx() = default;
ReplicatedAllGatherOpx::~ReplicatedAllGatherOpx() = default;
ReplicatedReduceScatterOpx::~ReplicatedReduceScatterOpx() = default;
NormOpx::~NormOpx() = default;

ReplicatedTensorShardingGroup either::CollectivesBaseOpx::getCollectiveLinkedGroup(
    ReplicatedTensorShardingIndicesIndex) const {
  return {op_p->id};
}

gcl::CollectiveBalancedReorder* either::CollectivesBaseOpx::getCollectiveBalancedReorder(
    ReplicatedTensorShardingIndicesIndex groupIndex) const {
  const auto found = reorders_.find(groupIndex);
  return found == reorders_.end() ? nullptr : found->second.get();
}

gcl::CollectiveBalancedReorder* either::CollectivesBaseOpx::createCollectiveBalancedReorder(
    poplar::Tensor tensor, ReplicatedTensorShardingIndicesIndex groupIndex) const {
  auto& reorder = reorders_[groupIndex];
  if (!reorder) reorder.reset(new gcl::CollectiveBalancedReorder(graph(), tensor, 1));
  return reorder.get();
}

namespace {

view::RegMap wholeInput(const Shape& shape) {
  return [shape](const view::Region&) { return view::Regions(1, view::Region::getFull(shape)); };
}

}  // namespace

// ---- Reduction ----

ReplicatedAllReduceOpx::ReplicatedAllReduceOpx(Op* op, Devicex* devicex)
    : either::CollectivesBaseOpx(op, devicex) {
  verifyOp<ReplicatedAllReduceOp>(op);
}

void ReplicatedAllReduceOpx::grow(poplar::program::Sequence& prog) const {
  const auto& op = getOp<ReplicatedAllReduceOp>();
  setOutTensor(
      op.getOutIndex(),
      gcl::allReduceCrossReplica(graph(), getInTensor(op.getInIndex()),
                                 getPoplarCollectiveOperator(op.getCollectiveOp()), prog,
                                 toGclCommGroup(op.getReplicaGrouping()),
                                 debugContext("replicatedAllReduce"), dv_p->lowering().gclOptions));
}

void ReplicatedAllReduceOpx::growProgram(poplar::program::Sequence& prog) const {
  // By snap's, which calls Poplar's by default: so either can be overridden.
  snap::program::Sequence wrapped(prog);
  grow(wrapped);
}

InputCreatorType ReplicatedAllReduceOpx::getInputCreatorType(InIndex) const {
  return InputCreatorType::CanUnwind;
}

poplar::Tensor ReplicatedAllReduceOpx::unwindTensorLayout(poplar::Tensor tensor, InIndex,
                                                          OutIndex) const {
  return tensor;
}

view::RegMap ReplicatedAllReduceOpx::unwindRegion(InIndex in, OutIndex) const {
  return wholeInput(inShape(in));
}

ReplicatedAllReduceInplaceOpx::ReplicatedAllReduceInplaceOpx(Op* op, Devicex* devicex)
    : ReplicatedAllReduceOpx(op, devicex) {
  verifyOp<ReplicatedAllReduceInplaceOp>(op);
}

void ReplicatedAllReduceInplaceOpx::grow(poplar::program::Sequence& prog) const {
  const auto& op = getOp<ReplicatedAllReduceOp>();
  poplar::Tensor data = getInTensor(op.getInIndex());
  gcl::allReduceInPlaceCrossReplica(
      graph(), data, getPoplarCollectiveOperator(op.getCollectiveOp()), prog,
      toGclCommGroup(op.getReplicaGrouping()), debugContext("replicatedAllReduce"),
      dv_p->lowering().gclOptions);
  setOutTensor(op.getOutIndex(), data);
}

// ---- Gathering, and the reduction of which each replica gets a part ----

ReplicatedAllGatherOpx::ReplicatedAllGatherOpx(Op* op, Devicex* devicex)
    : either::CollectivesBaseOpx(op, devicex) {
  verifyOp<ReplicatedAllGatherOp>(op);
}

void ReplicatedAllGatherOpx::grow(poplar::program::Sequence& prog) const {
  const auto& op = getOp<ReplicatedAllGatherOp>();
  const poplar::Tensor gathered = gcl::allGatherCrossReplica(
      graph(), getInTensor(op.getInIndex()), prog, toGclCommGroup(op.getReplicaGrouping()),
      debugContext("replicatedAllGather"), dv_p->lowering().gclOptions);
  setOutTensor(op.getOutIndex(), gathered.reshape(outShapeSzt(op.getOutIndex())));
}

InputCreatorType ReplicatedAllGatherOpx::getInputCreatorType(InIndex index) const {
  return Opx::getInputCreatorType(index);
}

poplar::Tensor ReplicatedAllGatherOpx::unwindTensorLayout(poplar::Tensor tensor, InIndex in,
                                                          OutIndex) const {
  return tensor.reshape(inShapeSzt(in));
}

view::RegMap ReplicatedAllGatherOpx::unwindRegion(InIndex in, OutIndex) const {
  return wholeInput(inShape(in));
}

ReplicatedReduceScatterOpx::ReplicatedReduceScatterOpx(Op* op, Devicex* devicex)
    : either::CollectivesBaseOpx(op, devicex) {
  verifyOp<ReplicatedReduceScatterOp>(op);
}

void ReplicatedReduceScatterOpx::grow(poplar::program::Sequence& prog) const {
  const auto& op = getOp<ReplicatedReduceScatterOp>();
  setOutTensor(op.getOutIndex(),
               gcl::reduceScatterCrossReplica(graph(), getInTensor(op.getInIndex()),
                                              getPoplarCollectiveOperator(op.getCollectiveOp()),
                                              prog, toGclCommGroup(op.getReplicaGrouping()),
                                              debugContext("replicatedReduceScatter"),
                                              dv_p->lowering().gclOptions));
}

InputCreatorType ReplicatedReduceScatterOpx::getInputCreatorType(InIndex index) const {
  return Opx::getInputCreatorType(index);
}

poplar::Tensor ReplicatedReduceScatterOpx::unwindTensorLayout(poplar::Tensor tensor, InIndex in,
                                                              OutIndex) const {
  return tensor.reshape(inShapeSzt(in));
}

view::RegMap ReplicatedReduceScatterOpx::unwindRegion(InIndex in, OutIndex) const {
  return wholeInput(inShape(in));
}

// ---- Normalizations ----

poplar::Tensor NormOpx::convertInvSdToVar(poplar::program::Sequence& prog,
                                          const poplar::Tensor& invSd, float epsilon,
                                          const poplar::Type dstType) const {
  namespace pe = popops::expr;
  const poplar::Tensor variance =
      popops::map(graph(), pe::Sub(pe::Inv(pe::Square(pe::_1)), pe::Const(epsilon)), {invSd}, prog,
                  debugContext("invSdToVar"));
  return variance.elementType() == dstType
             ? variance
             : popops::cast(graph(), variance, dstType, prog, debugContext("invSdToVar"));
}

poplar::Tensor NormOpx::convertVarToInvSd(poplar::program::Sequence& prog,
                                          const poplar::Tensor& var, float epsilon,
                                          const poplar::Type dstType) const {
  namespace pe = popops::expr;
  const poplar::Tensor inverse =
      popops::map(graph(), pe::Rsqrt(pe::Add(pe::_1, pe::Const(epsilon))), {var}, prog,
                  debugContext("varToInvSd"));
  return inverse.elementType() == dstType
             ? inverse
             : popops::cast(graph(), inverse, dstType, prog, debugContext("varToInvSd"));
}

}  // namespace popx
}  // namespace popart
