// Operators that derive from, or are, PopART's collectives, and what groups of replicas say.
#include <popart/graph.hpp>
#include <popart/graphcoreoperators.hpp>
#include <popart/op/collectives/replicatedallgather.hpp>
#include <popart/op/collectives/replicatedallreduce.hpp>
#include <popart/op/collectives/replicatedreducescatter.hpp>
#include <popart/op/sqrt.hpp>
#include <popart/opmanager.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/op/collectives/replicatedallgatherx.hpp>
#include <popart/popx/op/collectives/replicatedallreducex.hpp>
#include <popart/popx/op/collectives/replicatedreducescatterx.hpp>
#include <popart/popx/op/normx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popops/ElementWise.hpp>

#include <sstream>

using namespace popart;

namespace {

OperatorIdentifier named(const char* type) { return {"test", type, 1}; }

/// The gradient of a sum over replicas is the sum of the gradients.
class Reduce : public ReplicatedAllReduceOp {
 public:
  using ReplicatedAllReduceOp::ReplicatedAllReduceOp;
  std::unique_ptr<Op> clone() const override { return std::make_unique<Reduce>(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() override {
    std::vector<std::unique_ptr<Op>> ops;
    ops.push_back(std::make_unique<Reduce>(opid, op, getReplicaGrouping(), settings));
    return ops;
  }
  const std::vector<GradInOutMapper>& gradInputInfo() const override {
    static const std::vector<GradInOutMapper> in = {{0, 0, GradOpInType::GradOut}};
    return in;
  }
  const std::map<int, int>& gradOutToNonGradIn() const override {
    static const std::map<int, int> out = {{0, 0}};
    return out;
  }
};

ReplicaGrouping groupOf(const OpCreatorInfo& info) {
  const auto replicas = info.settings.getIr().getSessionOptions().getGlobalReplicationFactor();
  return extractReplicaGroupingFromAttrs(info.attributes, unsigned(replicas));
}

OpCreator<Reduce> reduce(
    OpDefinitions({{named("Reduce"), {}}, {named("Flipped"), {}}, {named("Negated"), {}}}),
    [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      const auto op = info.attributes.getAttribute<Attributes::Int>(sCollectiveOperator, 0);
      return std::make_unique<Reduce>(info.opid, static_cast<CollectiveOperator>(op), groupOf(info),
                                      info.settings);
    },
    true);
OpCreator<ReplicatedAllGatherOp> gather(
    OpDefinitions({{named("Gather"), {}}}),
    [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<ReplicatedAllGatherOp>(info.opid, groupOf(info), info.settings);
    },
    true);
OpCreator<ReplicatedReduceScatterOp> scatter(
    OpDefinitions({{named("Scatter"), {}}}),
    [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<ReplicatedReduceScatterOp>(info.opid, CollectiveOperator::Add,
                                                         groupOf(info), info.settings);
    },
    true);
popx::OpxCreator<popx::ReplicatedAllReduceOpx> reducex(named("Reduce"));

/// For snap's programs: twice the rows, from the last one to the first one.
class FlippedOpx : public popx::ReplicatedAllReduceOpx {
 public:
  using ReplicatedAllReduceOpx::grow;
  using ReplicatedAllReduceOpx::ReplicatedAllReduceOpx;
  void grow(snap::program::Sequence& prog) const override {
    auto& graph = dv_p->lowering().getVirtualGraph(0).getPoplarGraph();
    auto tensor = getInTensor(0);
    const std::vector<std::size_t> shape = tensor.shape();
    std::vector<unsigned> rows;
    for (std::size_t row = shape[0]; row-- > 0;) rows.push_back(unsigned(row));
    tensor = poplar::concat(tensor.slices(poplar::ArrayRef<unsigned>(rows)));
    tensor = cloneNcopy(prog, tensor);
    const poplar::Tensor flat = tensor.flatten().getPoplarTensor();
    popops::addInPlace(graph, flat, flat, prog.getPoplarSequence(), debugContext("doubled"));
    const snap::Tensor again = tensor.flatten(0, 2).reshape(shape);
    setOutTensor(0, again);
  }
};
popx::OpxCreator<FlippedOpx> flippedx(named("Flipped"));

/// For Poplar's programs.
class NegatedOpx : public popx::ReplicatedAllReduceOpx {
 public:
  using ReplicatedAllReduceOpx::grow;
  using ReplicatedAllReduceOpx::ReplicatedAllReduceOpx;
  void grow(poplar::program::Sequence& prog) const override {
    setOutTensor(0, popops::neg(graph(), getInTensor(0), prog, debugContext("negated")));
  }
};
popx::OpxCreator<NegatedOpx> negatedx(named("Negated"));

// Their gradients are operators of ai.graphcore, which popir lowers.
popx::OpxCreator<popx::ReplicatedAllGatherOpx> gatherx(named("Gather"));
popx::OpxCreator<popx::ReplicatedReduceScatterOpx> scatterx(named("Scatter"));

// Doubled and Normed: lowerings in the interface of SDK 2.3 to 3.1 that derive from the bases of
// collectives and of normalizations.

class ElementWise : public Op {
 public:
  using Op::Op;
  std::unique_ptr<Op> clone() const override { return std::make_unique<ElementWise>(*this); }
  void setup() override { outInfo(0) = inInfo(0); }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
};

OpCreator<ElementWise> elementWise(OpDefinitions({{named("Doubled"), {}}, {named("Normed"), {}}}));

class DoubledOpx : public popx::CollectivesBaseOpx {
 public:
  DoubledOpx(Op* op, popx::Devicex* devicex) : CollectivesBaseOpx(op, devicex) {}
  void grow(snap::program::Sequence& prog) const final {
    const poplar::Tensor in = getInTensor(0).getPoplarTensor();
    const poplar::Tensor sum = popops::add(graph().getPoplarGraph(), in, in,
                                           prog.getPoplarSequence(), debugContext("doubled"));
    setOutTensor(0, snap::Tensor{sum, graph()});
  }
  popx::InputCreatorType getInputCreatorType(InIndex) const override {
    return popx::InputCreatorType::CanUnwind;
  }
  snap::Tensor unwindTensorLayout(snap::Tensor tensor, InIndex, OutIndex) const final {
    return tensor;
  }
  view::RegMap unwindRegion(InIndex, OutIndex) const override {
    return [](const view::Region& r) { return view::Regions(1, r); };
  }
};

/// 1 / sqrt(x + 0.5), and back.
class NormedOpx : public popx::NormOpx {
 public:
  NormedOpx(Op* op, popx::Devicex* devicex) : NormOpx(op, devicex) {}
  void grow(snap::program::Sequence& prog) const final {
    const auto in = cloneNcopy(prog, inId(0));
    const auto inverse =
        convertVarToInvSd(prog.getPoplarSequence(), in.getPoplarTensor(), 0.5f, in.elementType());
    setOutTensor(0, convertInvSdToVar(prog.getPoplarSequence(), inverse, 0.25f, in.elementType()));
  }
};

popx::OpxCreator<DoubledOpx> doubledx(named("Doubled"));
popx::OpxCreator<NormedOpx> normedx(named("Normed"));

std::string said;

template <class Code>
void say(const Code& code) {
  std::ostringstream os;
  try {
    code(os);
  } catch (const error& e) {
    os << e.what();
  }
  said += os.str() + "\n";
}

}  // namespace

/// What a grouping says of its replicas, its transpose, or why there is none.
extern "C" const char* grouping(unsigned replicas, unsigned stride, unsigned size) {
  said.clear();
  say([&](std::ostream& os) {
    const ReplicaGrouping g(replicas, stride, size);
    for (unsigned i = 0; i < g.getNumGroups(); ++i)
      for (unsigned r : g.getReplicasAt(i))
        os << i << ":" << r
           << (g.getGroupAt(r) == i && g.getReplicaAt(i, g.getIndexInGroupAt(r)) == r ? " " : "? ");
  });
  say([&](std::ostream& os) { os << ReplicaGrouping(replicas, stride, size).getTranspose(); });
  say([&](std::ostream& os) {
    const CommGroup group{ReplicaGrouping(replicas, stride, size)};
    os << group << (group.toReplicaGrouping(replicas) == ReplicaGrouping(replicas, stride, size));
    const auto known = popx::toGCLCommGroup(group);
    os << " " << int(known.type()) << " " << known.replicaGroupSize();
    os << " " << int(popx::toGCLCommGroup(CommGroup()).type());
    os << " " << popx::toGCLCommGroup({CommGroupType::None, 0}).replicaGroupSize();
  });
  return said.c_str();
}
