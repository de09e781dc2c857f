#include <popart/graphcoreoperators.hpp>
#include <popart/op/collectives/replicatedallgather.hpp>
#include <popart/op/collectives/replicatedallreduce.hpp>
#include <popart/op/collectives/replicatedreducescatter.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>

#include <algorithm>
#include <utility>

#include "popart/op/copy_of.hpp"

namespace popart {

std::ostream& operator<<(std::ostream& os, const CollectiveOperator& op) {
  static const char* const names[] = {"Add",        "Mean",      "Mul",       "Min",  "Max",
                                      "LogicalAnd", "LogicalOr", "SquareAdd", "Local"};
  return os << (op < CollectiveOperator::N ? names[static_cast<int>(op)] : "Undefined");
}

namespace {

unsigned replicasOf(const Op::Settings& settings) {
  return static_cast<unsigned>(settings.getIr().getSessionOptions().getGlobalReplicationFactor());
}

unsigned positive(int64_t value, const char* of) {
  if (value < 1) throw error("{} of a ReplicaGrouping is {}: it must be at least 1", of, value);
  return static_cast<unsigned>(value);
}

}  // namespace

CollectivesBaseOp::CollectivesBaseOp(const OperatorIdentifier& opid, CommGroup group,
                                     const Op::Settings& settings)
    : Op(opid, settings), grouping_(group.toReplicaGrouping(replicasOf(settings))) {}

CollectivesBaseOp::CollectivesBaseOp(const OperatorIdentifier& opid,
                                     const ReplicaGrouping& grouping, const Op::Settings& settings)
    : Op(opid, settings), grouping_(grouping) {}

CollectivesBaseOp::~CollectivesBaseOp() = default;
ReplicatedAllReduceOp::~ReplicatedAllReduceOp() = default;
ReplicatedAllReduceInplaceOp::~ReplicatedAllReduceInplaceOp() = default;
ReplicatedAllGatherOp::~ReplicatedAllGatherOp() = default;
ReplicatedReduceScatterOp::~ReplicatedReduceScatterOp() = default;

bool CollectivesBaseOp::hasCorrespondingLinkedIndexTensor(Tensor*) {
  return hasInput(getCollectiveLinkedIndex());
}

Tensor* CollectivesBaseOp::getCorrespondingLinkedIndexTensor(Tensor*) {
  return inTensor(getCollectiveLinkedIndex());
}

bool CollectivesBaseOp::isCollectiveLinkedIndexTensor(InIndex in) const {
  return in == getCollectiveLinkedIndex();
}

bool CollectivesBaseOp::isCollectiveLinkedIndexTensor(Tensor* tensor) const {
  return hasInput(getCollectiveLinkedIndex()) && inTensor(getCollectiveLinkedIndex()) == tensor;
}

void CollectivesBaseOp::setGCLCommGroup(CommGroup group) {
  grouping_ = group.toReplicaGrouping(replicasOf(settings));
}

void CollectivesBaseOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute(sCollectiveReplicaGrouping, grouping_);
}

CommGroup getComplementCommGroup(const Ir& ir, CommGroup group) {
  const auto replicas = static_cast<unsigned>(ir.getSessionOptions().getGlobalReplicationFactor());
  const auto others = [&] { return replicas / std::max(1u, group.replicaGroupSize); };
  switch (group.type) {
    case CommGroupType::All: return {CommGroupType::None, 0};
    case CommGroupType::None: return {CommGroupType::All, 0};
    case CommGroupType::Consecutive: return {CommGroupType::Orthogonal, others()};
    case CommGroupType::Orthogonal: return {CommGroupType::Consecutive, others()};
    default: throw error("getComplementCommGroup: {} is no group", group);
  }
}

CommGroup getComplementCommGroupWithSuperSet(const Ir& ir, CommGroup group, CommGroup superSet) {
  if (superSet.type == CommGroupType::All) return getComplementCommGroup(ir, group);
  if (superSet == group) return {CommGroupType::None, 0};
  throw internal_error(
      "getComplementCommGroupWithSuperSet: {} within {}; the superset is to be all replicas, or "
      "the group itself",
      group, superSet);
}

ReplicaGrouping getTransposedReplicaGroupingWithSuperSet(const ReplicaGrouping& grouping,
                                                         const ReplicaGrouping& superSet) {
  const unsigned replicas = grouping.getNumReplicas();
  if (superSet.getNumReplicas() != replicas)
    throw error("Expected the number of replicas in the groups to be equal. Given were {} and {}",
                grouping, superSet);
  if (superSet.getGroupSize() == replicas) return grouping.getTranspose();
  if (superSet == grouping) return ReplicaGrouping(replicas, 1, 1);
  throw error(
      "Could not return a supported ReplicaGrouping transpose of {} within {}: the superset is to "
      "be all replicas, or the grouping itself",
      grouping, superSet);
}

CommGroup extractCommGroupFromVector(const std::vector<int64_t>& vec) {
  if (vec.size() != 2)
    throw error("A CommGroup is made from 2 numbers, type and size; there are {}", vec.size());
  if (vec[0] < 0 || vec[0] >= static_cast<int64_t>(CommGroupType::N) || vec[1] < 0)
    throw error(
        "No CommGroup has the type {} and the size {}: expected a type from 0 to 3 and a "
        "size of at least 0",
        vec[0], vec[1]);
  return CommGroup(static_cast<CommGroupType>(vec[0]), static_cast<unsigned>(vec[1]));
}

CommGroup extractCommGroupFromAttrs(const Attributes& attrs) {
  if (!attrs.hasAttribute(sCollectiveCommGroup)) return CommGroup();
  return extractCommGroupFromVector(attrs.getAttribute<Attributes::Ints>(sCollectiveCommGroup));
}

ReplicaGrouping extractReplicaGroupingFromVector(const std::vector<int64_t>& vec) {
  if (vec.size() != 3)
    throw error("A ReplicaGrouping is made from 3 numbers, replicas, stride and size; there are {}",
                vec.size());
  return ReplicaGrouping(positive(vec[0], "The number of replicas"), positive(vec[1], "The stride"),
                         positive(vec[2], "The size"));
}

ReplicaGrouping extractReplicaGroupingFromAttrs(const Attributes& attrs,
                                                unsigned replicationFactor) {
  if (attrs.hasAttribute(sCollectiveReplicaGrouping))
    return extractReplicaGroupingFromVector(
        attrs.getAttribute<Attributes::Ints>(sCollectiveReplicaGrouping));
  return extractCommGroupFromAttrs(attrs).toReplicaGrouping(replicationFactor);
}

// ---- Reduction ----

ReplicatedAllReduceOp::ReplicatedAllReduceOp(const OperatorIdentifier& opid_,
                                             CollectiveOperator op_, CommGroup group,
                                             const Op::Settings& settings_)
    : CollectivesBaseOp(opid_, group, settings_), op(op_) {}
ReplicatedAllReduceOp::ReplicatedAllReduceOp(const OperatorIdentifier& opid_,
                                             CollectiveOperator op_,
                                             const ReplicaGrouping& grouping,
                                             const Op::Settings& settings_)
    : CollectivesBaseOp(opid_, grouping, settings_), op(op_) {}
ReplicatedAllReduceOp::ReplicatedAllReduceOp(const OperatorIdentifier& opid_,
                                             const Op::Settings& settings_)
    : ReplicatedAllReduceOp(opid_, CollectiveOperator::Add, CommGroup(), settings_) {}

std::unique_ptr<Op> ReplicatedAllReduceOp::clone() const { return copyOf(*this); }

void ReplicatedAllReduceOp::setup() { outInfo(getOutIndex()) = inInfo(getInIndex()); }

void ReplicatedAllReduceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  CollectivesBaseOp::appendOutlineAttributes(os);
  os.appendAttribute(sCollectiveOperator, op);
}

ReplicatedTensorShardingIndices ReplicatedAllReduceOp::getReplicatedTensorShardingIndices() const {
  return {{{getInIndex()}, {getOutIndex()}}};
}

ReplicatedAllReduceInplaceOp::ReplicatedAllReduceInplaceOp(const ReplicatedAllReduceOp& forward)
    : ReplicatedAllReduceOp(Onnx::CustomOperators::ReplicatedAllReduceInplace,
                            forward.getCollectiveOp(), forward.getReplicaGrouping(),
                            forward.settings) {}

std::unique_ptr<Op> ReplicatedAllReduceInplaceOp::clone() const { return copyOf(*this); }

void ReplicatedAllReduceInplaceOp::setup() { ReplicatedAllReduceOp::setup(); }

// ---- Gathering ----

ReplicatedAllGatherOp::ReplicatedAllGatherOp(const OperatorIdentifier& opid_, CommGroup group,
                                             const Op::Settings& settings_)
    : CollectivesBaseOp(opid_, group, settings_) {}
ReplicatedAllGatherOp::ReplicatedAllGatherOp(const OperatorIdentifier& opid_, CommGroup group,
                                             const Op::Settings& settings_, TensorInfo outInfo)
    : CollectivesBaseOp(opid_, group, settings_), gathered_(std::move(outInfo)) {}
ReplicatedAllGatherOp::ReplicatedAllGatherOp(const OperatorIdentifier& opid_,
                                             const ReplicaGrouping& grouping,
                                             const Op::Settings& settings_)
    : CollectivesBaseOp(opid_, grouping, settings_) {}
ReplicatedAllGatherOp::ReplicatedAllGatherOp(const OperatorIdentifier& opid_,
                                             const ReplicaGrouping& grouping,
                                             const Op::Settings& settings_,
                                             const TensorInfo& outInfo)
    : CollectivesBaseOp(opid_, grouping, settings_), gathered_(outInfo) {}

std::unique_ptr<Op> ReplicatedAllGatherOp::clone() const { return copyOf(*this); }

void ReplicatedAllGatherOp::setup() {
  const TensorInfo& in = inInfo(getInIndex());
  outInfo(getOutIndex()) = {
      in.dataType(), gathered_.isSet() ? gathered_.shape() : Shape{in.nelms() * getCommSize()}};
}

ReplicatedTensorShardingIndices ReplicatedAllGatherOp::getReplicatedTensorShardingIndices() const {
  return {{{getInIndex()}, {}}};
}

bool ReplicatedAllGatherOp::isConfigureOutputForReplicatedTensorSharding() const {
  return hasInput(getCollectiveLinkedIndex()) || !inInfo(getInIndex()).metaShape().empty();
}

std::vector<std::unique_ptr<Op>> ReplicatedAllGatherOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> ops;
  ops.emplace_back(new ReplicatedReduceScatterOp(Onnx::CustomOperators::ReplicatedReduceScatter,
                                                 CollectiveOperator::Add, getReplicaGrouping(),
                                                 settings));
  return ops;
}

const std::vector<GradInOutMapper>& ReplicatedAllGatherOp::gradInputInfo() const {
  static const std::vector<GradInOutMapper> in = {
      {getInIndex(), ReplicatedReduceScatterOp::getOutIndex(), GradOpInType::GradOut}};
  return in;
}

const std::map<int, int>& ReplicatedAllGatherOp::gradOutToNonGradIn() const {
  static const std::map<int, int> out = {{getOutIndex(), ReplicatedReduceScatterOp::getInIndex()}};
  return out;
}

// ---- Reduction and division ----

ReplicatedReduceScatterOp::ReplicatedReduceScatterOp(
    const OperatorIdentifier& opid_, CollectiveOperator op_, CommGroup group,
    bool configureOutputForReplicatedTensorSharding_, const Op::Settings& settings_)
    : CollectivesBaseOp(opid_, group, settings_),
      op(op_),
      configureOutputForReplicatedTensorSharding(configureOutputForReplicatedTensorSharding_) {}
ReplicatedReduceScatterOp::ReplicatedReduceScatterOp(const OperatorIdentifier& opid_,
                                                     CollectiveOperator op_, CommGroup group,
                                                     const Op::Settings& settings_)
    : ReplicatedReduceScatterOp(opid_, op_, group, false, settings_) {}
ReplicatedReduceScatterOp::ReplicatedReduceScatterOp(
    const OperatorIdentifier& opid_, CollectiveOperator op_, const ReplicaGrouping& grouping,
    bool configureOutputForReplicatedTensorSharding_, const Op::Settings& settings_)
    : CollectivesBaseOp(opid_, grouping, settings_),
      op(op_),
      configureOutputForReplicatedTensorSharding(configureOutputForReplicatedTensorSharding_) {}
ReplicatedReduceScatterOp::ReplicatedReduceScatterOp(const OperatorIdentifier& opid_,
                                                     CollectiveOperator op_,
                                                     const ReplicaGrouping& grouping,
                                                     const Op::Settings& settings_)
    : ReplicatedReduceScatterOp(opid_, op_, grouping, false, settings_) {}
ReplicatedReduceScatterOp::ReplicatedReduceScatterOp(const OperatorIdentifier& opid_,
                                                     const Op::Settings& settings_)
    : ReplicatedReduceScatterOp(opid_, CollectiveOperator::Add, CommGroup(), settings_) {}

std::unique_ptr<Op> ReplicatedReduceScatterOp::clone() const { return copyOf(*this); }

void ReplicatedReduceScatterOp::setup() {
  const TensorInfo& in = inInfo(getInIndex());
  const int64_t size = getCommSize();
  outInfo(getOutIndex()) = {in.dataType(), {(in.nelms() + size - 1) / size}};
}

void ReplicatedReduceScatterOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  CollectivesBaseOp::appendOutlineAttributes(os);
  os.appendAttribute(sCollectiveOperator, op);
}

ReplicatedTensorShardingIndices ReplicatedReduceScatterOp::getReplicatedTensorShardingIndices()
    const {
  return {{{}, {getOutIndex()}}};
}

bool ReplicatedReduceScatterOp::isConfigureOutputForReplicatedTensorSharding() const {
  return configureOutputForReplicatedTensorSharding || hasInput(getCollectiveLinkedIndex()) ||
         !outInfo(getOutIndex()).metaShape().empty();
}

std::vector<std::unique_ptr<Op>> ReplicatedReduceScatterOp::getGradOps() {
  if (op != CollectiveOperator::Add && op != CollectiveOperator::Local)
    throw error(
        "{}: the gradient of a reduction by {} over replicas is not known; that of Add and "
        "Local is",
        debugName(), op);
  std::vector<std::unique_ptr<Op>> ops;
  ops.emplace_back(new ReplicatedAllGatherOp(Onnx::CustomOperators::ReplicatedAllGather,
                                             getReplicaGrouping(), settings, inInfo(getInIndex())));
  return ops;
}

const std::vector<GradInOutMapper>& ReplicatedReduceScatterOp::gradInputInfo() const {
  static const std::vector<GradInOutMapper> in = {
      {getInIndex(), ReplicatedAllGatherOp::getOutIndex(), GradOpInType::GradOut}};
  return in;
}

const std::map<int, int>& ReplicatedReduceScatterOp::gradOutToNonGradIn() const {
  static const std::map<int, int> out = {{getOutIndex(), ReplicatedAllGatherOp::getInIndex()}};
  return out;
}

}  // namespace popart
