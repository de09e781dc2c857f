// Operators that leave everything to a class of popart/op/, and a pattern that asks such classes.
#include <popart/alias/aliasmodelgrower.hpp>
#include <popart/graph.hpp>
#include <popart/op/convbase.hpp>
#include <popart/op/elementwise.hpp>
#include <popart/op/groupnorm.hpp>
#include <popart/op/l1.hpp>
#include <popart/op/reshape.hpp>
#include <popart/opmanager.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popops/ElementWise.hpp>

using namespace popart;

namespace {

OperatorIdentifier named(const char* type) { return {"test", type, 1}; }

/// Registers an operator whose class is one of PopART's.
template <class OP>
struct Plain : OP {
  using OP::OP;
  std::vector<std::unique_ptr<Op>> getGradOps() override { return {}; }
};
OpCreator<Plain<ElementWiseUnaryOp>> unary(OpDefinitions({{named("Unary"), {}}}));
OpCreator<Plain<ElementWiseUnaryBooleanOp>> boolean(OpDefinitions({{named("Boolean"), {}}}));
OpCreator<Plain<ElementWiseInplaceUnaryOp>> inplace(OpDefinitions({{named("Inplace"), {}}}));
OpCreator<Plain<ElementWiseBinaryOp>> binary(OpDefinitions({{named("Binary"), {}}}));
OpCreator<Plain<ElementWiseBinaryInplaceLhsOp>> lhs(OpDefinitions({{named("Lhs"), {}}}));
OpCreator<Plain<ElementWiseBinaryInplaceRhsOp>> rhs(OpDefinitions({{named("Rhs"), {}}}));
OpCreator<Plain<BinaryComparisonOp>> compared(OpDefinitions({{named("Compared"), {}}}));

OpCreator<Plain<L1Op>> l1(
    OpDefinitions({{named("Magnitude"), {}}}),
    [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      const auto reduction = info.attributes.getAttribute<Attributes::String>("reduction");
      return std::make_unique<Plain<L1Op>>(
          info.opid, 0.5f, LossOp::reductionTypeFromString(reduction), info.settings);
    },
    true);

OpCreator<Plain<ReshapeBaseOp>> reshaped(
    OpDefinitions({{named("Reshaped"), {}}}),
    [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      const auto shape = info.attributes.getAttribute<Attributes::Ints>("shape");
      return std::make_unique<Plain<ReshapeBaseOp>>(info.opid, shape, info.settings);
    },
    true);

// Unary is lowered twice: the first Opx negates.

class NegX : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    setOutTensor(0, popops::neg(graph(), getInTensor(0), prog, debugContext("neg")));
  }
};
class SquareX : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    setOutTensor(0, popops::square(graph(), getInTensor(0), prog, debugContext("square")));
  }
};
popx::OpxCreator<NegX> negX(named("Unary"));
popx::OpxCreator<SquareX> squareX(named("Unary"));

// Parts: 2 x and 3 x; a model may leave out the first.

class Parts : public Op {
 public:
  using Op::Op;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Parts>(*this); }
  void setup() final {
    for (int i : {0, 1})
      if (hasOutput(i)) outInfo(i) = inInfo(0);
  }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  std::vector<std::unique_ptr<Op>> getGradOps() final;
};

class PartsGrad : public Op {
 public:
  explicit PartsGrad(const Parts& op)
      : Op(named("PartsGrad"), op.getSettings()), info_(op.inInfo(0)) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<PartsGrad>(*this); }
  void setup() final { outInfo(0) = info_; }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  const std::vector<GradInOutMapper>& gradInputInfo() const final {
    static const std::vector<GradInOutMapper> inputs = {{0, 0, GradOpInType::GradOut},
                                                        {1, 1, GradOpInType::GradOut}};
    return inputs;
  }
  const std::map<int, int>& gradOutToNonGradIn() const final {
    static const std::map<int, int> outputs = {{0, 0}};
    return outputs;
  }
  std::set<InIndex> optionalInputs() const final { return {0, 1}; }

 private:
  TensorInfo info_;
};

std::vector<std::unique_ptr<Op>> Parts::getGradOps() {
  std::vector<std::unique_ptr<Op>> ops;
  ops.push_back(std::make_unique<PartsGrad>(*this));
  return ops;
}

class PartsX : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    for (int i : {0, 1})
      if (hasOutput(i))
        setOutTensor(i, popops::mul(graph(), getInTensor(0), 2.0f + static_cast<float>(i), prog));
  }
};
class PartsGradX : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    poplar::Tensor sum;
    for (int i : {0, 1}) {
      if (!hasInput(i)) continue;
      const auto part = popops::mul(graph(), getInTensor(i), 2.0f + static_cast<float>(i), prog);
      sum = sum.valid() ? popops::add(graph(), sum, part, prog) : part;
    }
    setOutTensor(0, sum);
  }
};
OpCreator<Parts> parts(OpDefinitions({{named("Parts"), {}}}));
popx::OpxCreator<PartsX> partsX(named("Parts"));
popx::OpxCreator<PartsGradX> partsGradX(named("PartsGrad"));

class AskDerived : public PreAliasPattern {
 public:
  bool matches(Op*) const final { return true; }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op* op) const final {
    AliasModel model;
    AliasModelGrower(model).growFullGraph(op->getGraph(), DataDependenciesOnly::Yes);
    const auto proposal = op->mapInplaceProposal(model, op->opid);
    logging::pattern::info("{} modifies {}", model.getOpId(proposal.gateId()), proposal.inIndex());
    Attributes given;
    const MultiConvOptions none({{"a", "b"}}, given);
    logging::pattern::info("none {} {} {} {}", !none.planType, !none.perConvReservedTiles,
                           !none.cycleBackOff, none.getGlobalOptions().at("a"));
    given.setAttribute("__planType", Attributes::String("serial"));
    given.setAttribute("__perConvReservedTiles", Attributes::Int(60));
    given.setAttribute("__cycleBackOff", 0.25f);
    const MultiConvOptions all({}, given);
    logging::pattern::info("all {} {} {}", *all.planType, *all.perConvReservedTiles,
                           *all.cycleBackOff);
    return false;
  }
};
PatternCreator<AskDerived> ask("AskDerived", false);

class AskNorm : public PreAliasPattern {
 public:
  bool matches(Op*) const final { return true; }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op* op) const final {
    const auto& norm = dynamic_cast<const GroupNormOp&>(*op);
    logging::pattern::info("{} {}", norm.getNumGroups(), norm.getEpsilon());
    return false;
  }
};
PatternCreator<AskNorm> askNorm("AskNorm", false);

/// Makes a Reshape anew, into the shape that its output has.
class Remake : public PreAliasPattern {
 public:
  bool matches(Op*) const final { return true; }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op* op) const final {
    const auto in = op->input->tensorIdMap(), out = op->output->tensorIdMap();
    const auto opid = op->opid;
    const Shape shape = op->outShape(0);
    Graph& graph = op->getGraph();
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    graph.eraseOp(op->id);
    graph.createConnectedOp<ReshapeOp>(in, out, opid, shape, Op::Settings(graph, "made"));
    return true;
  }
};
PatternCreator<Remake> remake("Remake", false);

}  // namespace
