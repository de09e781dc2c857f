// Operators that derive from classes of popart/op/ and popart/popx/op/, or make objects of them.
#include <popart/builder.hpp>
#include <popart/graph.hpp>
#include <popart/op/accumulate.hpp>
#include <popart/op/add.hpp>
#include <popart/op/cosh.hpp>
#include <popart/op/custom/parameterizedop.hpp>
#include <popart/op/gather.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/l1.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/sgd1accumulate.hpp>
#include <popart/op/sigmoid.hpp>
#include <popart/op/subtract.hpp>
#include <popart/operators.hpp>
#include <popart/opmanager.hpp>
#include <popart/opserialiser.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/op/elementwisex.hpp>
#include <popart/popx/op/gatherx.hpp>
#include <popart/popx/op/sliceplanx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/session.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

using namespace popart;
namespace pe = popops::expr;

namespace {

OperatorIdentifier named(const char* type) { return {"test", type, 1}; }

template <class OP>
std::vector<std::unique_ptr<Op>> one(OP* op) {
  std::vector<std::unique_ptr<Op>> ops;
  ops.emplace_back(op);
  return ops;
}

// Squashed: x / (1 + |x|), with a variant in place and its gradient.

class Squashed : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Squashed>(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() final;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const final {
    return {{named("SquashedInplace"), 10.0f}};
  }
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& variant) const final;
};

class SquashedInplace : public ElementWiseInplaceUnaryOp {
 public:
  explicit SquashedInplace(const Squashed& op)
      : ElementWiseInplaceUnaryOp(named("SquashedInplace"), op.getSettings()) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<SquashedInplace>(*this); }
};

std::unique_ptr<Op> Squashed::getInplaceVariant(const OperatorIdentifier& variant) const {
  if (variant == named("SquashedInplace")) return std::make_unique<SquashedInplace>(*this);
  return Op::getInplaceVariant(variant);
}

class SquashedGrad : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit SquashedGrad(const Squashed& op)
      : ElementWiseNonLinearUnaryGradOp(named("SquashedGrad"), op) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<SquashedGrad>(*this); }
};

std::vector<std::unique_ptr<Op>> Squashed::getGradOps() { return one(new SquashedGrad(*this)); }

class SquashedComputex : public popx::EwuComputex {
 public:
  void inplace(poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,
               const poplar::DebugNameAndId& dnai, const std::string&) const final {
    popops::mapInPlace(graph, pe::Divide(pe::_1, pe::Add(pe::Const(1.0f), pe::Abs(pe::_1))),
                       {tensor}, prog, {dnai, "squashed"});
  }
};

template <class BASE>
class SquashedOpx : public BASE {
 public:
  SquashedOpx(Op* op, popx::Devicex* devicex)
      : BASE(op, devicex, std::make_unique<SquashedComputex>()) {}
};

class SquashedGradOpx : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    const auto d = pe::Add(pe::Const(1.0f), pe::Abs(pe::_2));
    setOutTensor(0, popops::map(graph(), pe::Divide(pe::_1, pe::Mul(d, d)),
                                {getInTensor(SquashedGrad::getGradInIndex()),
                                 getInTensor(SquashedGrad::getFwdArgInIndex())},
                                prog, debugContext("squashedGrad")));
  }
};

OpCreator<Squashed> squashed(OpDefinitions({{named("Squashed"), {}}}));
popx::OpxCreator<SquashedOpx<popx::ElementWiseUnaryOutplaceOpx>> squashedX(named("Squashed"));
popx::OpxCreator<SquashedOpx<popx::ElementWiseUnaryInplaceOpx>> squashedInX(
    named("SquashedInplace"));
popx::OpxCreator<SquashedGradOpx> squashedGradX(named("SquashedGrad"));

// Blend: a + 2 b with numpy's broadcasting, and a gradient for each input.

template <class BASE>
class BlendGrad : public BASE {
 public:
  BlendGrad(const Op& op, const std::vector<int64_t>& axes, InIndex arg, const char* type)
      : BASE(named(type), axes, op.inInfo(arg), op.getSettings()) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<BlendGrad>(*this); }
};

struct BlendGrad0 : BlendGrad<ElementWiseBinaryArg0GradOp> {
  BlendGrad0(const Op& op, const std::vector<int64_t>& axes)
      : BlendGrad(op, axes, 0, "BlendGrad0") {}
};
struct BlendGrad1 : BlendGrad<ElementWiseBinaryArg1GradOp> {
  BlendGrad1(const Op& op, const std::vector<int64_t>& axes)
      : BlendGrad(op, axes, 1, "BlendGrad1") {}
};

class BlendInplace : public ElementWiseBinaryInplaceLhsOp {
 public:
  using ElementWiseBinaryInplaceLhsOp::ElementWiseBinaryInplaceLhsOp;
  std::unique_ptr<Op> clone() const final { return std::make_unique<BlendInplace>(*this); }
};

class Blend : public ElementWiseNpBroadcastableBinaryWithGradOp<BlendGrad0, BlendGrad1> {
 public:
  using ElementWiseNpBroadcastableBinaryWithGradOp::ElementWiseNpBroadcastableBinaryWithGradOp;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Blend>(*this); }

 private:
  bool hasLhsInplaceVariant() const final { return true; }
  OperatorIdentifier getLhsOperatorIdentifier() const final { return named("BlendLhsInplace"); }
  std::unique_ptr<Op> getLhsInplaceVariant() const final {
    return std::make_unique<BlendInplace>(named("BlendLhsInplace"), getSettings());
  }
};

class BlendComputex : public popx::EwbComputex {
 public:
  using EwbComputex::EwbComputex;
  static pe::Add tree() { return pe::Add(pe::_1, pe::Mul(pe::Const(2.0f), pe::_2)); }
  poplar::Tensor outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& a, const poplar::Tensor& b,
                          const poplar::DebugNameAndId& dnai, const std::string&) const final {
    return popops::map(graph, tree(), {a, b}, prog, dnai);
  }
  poplar::Tensor maybeInplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                              poplar::Tensor& a, poplar::Tensor& b,
                              const poplar::DebugNameAndId& dnai, const std::string&) const final {
    popops::mapInPlace(graph, tree(), {a, b}, prog, dnai);
    return a;
  }
};

struct BlendOpx : popx::ElementWiseBinaryOutplaceOpx {
  BlendOpx(Op* op, popx::Devicex* devicex)
      : ElementWiseBinaryOutplaceOpx(op, devicex, std::make_unique<BlendComputex>()) {}
};
struct BlendInplaceOpx : popx::ElementWiseBinaryInplaceOpx {
  BlendInplaceOpx(Op* op, popx::Devicex* devicex)
      : ElementWiseBinaryInplaceOpx(
            op, devicex, std::make_unique<BlendComputex>(popx::EwbComputex::InplacePolicy::LHS)) {}
};
class BlendGradOpx : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    const auto& op = getOp<ElementWiseBinaryGradOp>();
    const std::vector<std::size_t> axes(op.getReductionAxes().begin(), op.getReductionAxes().end());
    const float factor = op.opid.type == "BlendGrad1" ? 2.0f : 1.0f;
    const auto sum = popops::reduce(graph(), getInTensor(0), axes, {popops::Operation::ADD}, prog);
    setOutTensor(0, popops::map(graph(), pe::Mul(pe::Const(factor), pe::_1), {sum}, prog)
                        .reshape(outInfo(0).shape_szt()));
  }
};

OpCreator<Blend> blend(OpDefinitions({{named("Blend"), {}}}));
popx::OpxCreator<BlendOpx> blendX(named("Blend"));
popx::OpxCreator<BlendInplaceOpx> blendInX(named("BlendLhsInplace"));
popx::OpxCreator<BlendGradOpx> blendGradX({named("BlendGrad0"), named("BlendGrad1")});

// Pick: a GatherOp along axis 1, with slice plans.

class Pick : public GatherOp {
 public:
  Pick(const OperatorIdentifier& opid, const Op::Settings& settings)
      : GatherOp(opid, -2, 1, settings, 0.5f) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<Pick>(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() final;
};

class PickGrad : public Op {
 public:
  explicit PickGrad(const Pick& op)
      : Op(named("PickGrad"), op.getSettings()), info_(op.inInfo(Pick::dataInIndex())) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<PickGrad>(*this); }
  void setup() final { outInfo(0) = info_; }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  const std::vector<GradInOutMapper>& gradInputInfo() const final {
    static const std::vector<GradInOutMapper> inputs = {{0, 0, GradOpInType::GradOut},
                                                        {1, 1, GradOpInType::In}};
    return inputs;
  }
  const std::map<int, int>& gradOutToNonGradIn() const final {
    static const std::map<int, int> outputs = {{0, 0}};
    return outputs;
  }

 private:
  TensorInfo info_;
};

std::vector<std::unique_ptr<Op>> Pick::getGradOps() { return one(new PickGrad(*this)); }

class PickOpx : public popx::Opx {
 public:
  PickOpx(Op* op, popx::Devicex* devicex) : Opx(op, devicex) {
    inputCreatorPriority = 5;
    const auto options = popx::createSlicePlanOptions(popx::SlicePlanUsedFor::Slice);
    plan_ = popx::createSlicePlan(graph(), inInfo(0), inInfo(1), options, 1);
  }
  popx::InputCreatorType getInputCreatorType(InIndex) const final {
    return popx::InputCreatorType::CanCreate;
  }
  poplar::Tensor createInputTensor(InIndex index, const poplar::DebugNameAndId& dnai) const final {
    return index == 0 ? popx::createDataTensor(graph(), inInfo(0), plan_, 1, 1, false, dnai)
                      : popx::createIndicesTensor(graph(), inInfo(1), plan_, 1, 1, false, dnai);
  }
  void grow(poplar::program::Sequence& prog) const final {
    const auto offsets = getInTensor(1).reinterpret(poplar::UNSIGNED_INT).flatten().expand({1});
    const auto slices =
        popops::multiSlice(graph(), getInTensor(0), offsets, {1}, {1}, prog, plan_, {});
    setOutTensor(0, slices.squeeze({2}).dimRoll(0, 1).reshape(outInfo(0).shape_szt()));
  }

 private:
  popops::SlicePlan plan_;
};

class PickGradOpx : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    const auto out = graph().addVariable(poplar::FLOAT, outInfo(0).shape_szt(),
                                         poplar::VariableMappingMethod::LINEAR, "gradient");
    popops::zero(graph(), out, prog, debugContext("zero"));
    const auto parts =
        popx::GatherGradOpx::handleNDMultiUpdate(out, getInTensor(0), getInTensor(1), 1);
    popops::multiUpdateAdd(graph(), std::get<0>(parts), std::get<1>(parts), std::get<2>(parts),
                           getConst(poplar::FLOAT, {}, 1.0, "one"), {0}, {1}, prog, {}, {});
    setOutTensor(0, out);
  }
};

OpCreator<Pick> pick(OpDefinitions({{named("Pick"), {}}}));
popx::OpxCreator<PickOpx> pickX(named("Pick"));
popx::OpxCreator<PickGradOpx> pickGradX(named("PickGrad"));

// Affine: a ParameterizedOp.

struct AffineParams {
  float scale, shift;
  void appendAttributes(OpSerialiserBase& os) const {
    os.appendAttribute("scale", scale);
    os.appendAttribute("shift", shift);
  }
  static AffineParams makeFromAttributes(const Attributes& a) {
    return {a.getAttribute<Attributes::Float>("scale"),
            a.getAttribute<Attributes::Float>("shift", 0.0f)};
  }
};

class Affine : public ParameterizedOp<Affine, AffineParams> {
 public:
  using ParameterizedOp::ParameterizedOp;
  static OperatorIdentifier defaultOperatorId() { return named("Affine"); }
  void setup() final { outInfo(0) = inInfo(0); }
};

class AffineOpx : public popx::Opx {
 public:
  using Opx::Opx;
  /// The output is there before grow() is called.
  bool outputCreatedExternally(OutIndex) const final { return true; }
  void grow(poplar::program::Sequence& prog) const final {
    const AffineParams& p = getOp<Affine>().params();
    popops::mapWithOutput(srcVirtualGraph(0),
                          pe::Add(pe::Mul(pe::Const(p.scale), pe::_1), pe::Const(p.shift)),
                          {getInTensor(0)}, getOutTensor(0), prog, debugContext("affine"));
  }
};

OpCreator<Affine> affine(
    OpDefinitions({{Affine::defaultOperatorId(), {}}}),
    [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return Affine::createOpFromCreatorInfo(info);
    },
    true);
popx::OpxCreator<AffineOpx> affineX(Affine::defaultOperatorId());

// Average: a pattern makes it an AccumulateOp of the kind that it says.

class Average : public Op {
 public:
  Average(const OperatorIdentifier& opid, int64_t kind, const Op::Settings& settings)
      : Op(opid, settings), type(static_cast<AccumulationType>(kind)) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<Average>(*this); }
  void setup() final { outInfo(0) = inInfo(0); }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  AccumulationType type;
};

OpCreator<Average> average(
    OpDefinitions({{named("Average"), {}}}),
    [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      const auto kind = info.attributes.getAttribute<Attributes::Int>("kind");
      return std::make_unique<Average>(info.opid, kind, info.settings);
    },
    true);

class AverageToAccumulate : public PreAliasPattern {
 public:
  bool matches(Op* op) const final { return op->isConvertibleTo<Average>(); }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op* op) const final {
    const auto type = dynamic_cast<Average*>(op)->type;
    const auto in = op->input->tensorIdMap(), out = op->output->tensorIdMap();
    Graph& graph = op->getGraph();
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    const Op::Settings settings(graph, "average");
    if (static_cast<int>(type) > static_cast<int>(AccumulationType::Mean)) {
      const auto* made = graph.createConnectedOp<SGD1AccumulateOp>(
          in, out, in.at(0), OptimizerValue(0, false), settings);
      const auto other = made->cloneWithNewName("other");
      if (made->getVarId() != in.at(0) ||
          dynamic_cast<SGD1AccumulateOp&>(*other).getVarId() != "other" ||
          made->getAccumulationType() != AccumulationType::DampenedAdd)
        throw error("another variable, or another type");
    } else {
      graph.createConnectedOp<AccumulateOp>(in, out, type, OptimizerValue(0, false), settings);
    }
    graph.eraseOp(op->id);
    return true;
  }
};

PatternCreator<AverageToAccumulate> averageToAccumulate("AverageToAccumulate", true);

// Shadow: the moving average of a weight. A pattern makes it an AccumulateOp into a variable that
// begins as the weight does, and that saved models have.

class Shadow : public Op {
 public:
  using Op::Op;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Shadow>(*this); }
  void setup() final { outInfo(0) = inInfo(0); }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
};

OpCreator<Shadow> shadow(OpDefinitions({{named("Shadow"), {}}}));

class ShadowToAccumulate : public PreAliasPattern {
 public:
  bool matches(Op* op) const final { return op->isConvertibleTo<Shadow>(); }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op* op) const final {
    const popart::Tensor* weight = op->inTensor(0);
    const TensorId average = "average_" + weight->id, updated = op->outId(0);
    Graph& graph = op->getGraph();
    graph.getTensors().addVarInit(average, weight->info, weight->tensorData()->data());
    graph.getIr().addAdditionalModelProtoTensor(average);
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    graph.createConnectedOp<AccumulateOp>({{AccumulateOp::getVarToUpdateInIndex(), average},
                                           {AccumulateOp::getUpdaterInIndex(), weight->id}},
                                          {{AccumulateOp::getUpdatedVarOutIndex(), updated}},
                                          AccumulationType::MovingAverage, 0.75f,
                                          Op::Settings(graph, "shadow"));
    graph.eraseOp(op->id);
    return true;
  }
};

PatternCreator<ShadowToAccumulate> shadowToAccumulate("ShadowToAccumulate", true);

// ReluAdd: Add of a Relu becomes Sub; what patterns see of built-in operators.

class ReluAddToSub : public PreAliasPattern {
 public:
  bool matches(Op* op) const final {
    if (!op->isConvertibleTo<AddOp>() || op->isConvertibleTo<SubtractOp>()) return false;
    const popart::Tensor* arg = op->inTensor(AddOp::getArg0InIndex());
    return arg->hasProducer() && arg->getProducer()->isConvertibleTo<ReluOp>();
  }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op* op) const final {
    const auto in = op->input->tensorIdMap(), out = op->output->tensorIdMap();
    Graph& graph = op->getGraph();
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    graph.createConnectedOp<SubtractOp>(in, out, Onnx::Operators::Sub_7,
                                        Op::Settings(graph, "difference"));
    graph.eraseOp(op->id);
    return true;
  }
};

PatternCreator<ReluAddToSub> reluAddToSub("ReluAddToSub", true);

class Seen : public PreAliasPattern {
 public:
  bool matches(Op* op) const final {
    if (const auto* gather = dynamic_cast<const GatherOp*>(op))
      logging::pattern::info("gather along {}", gather->getAxis());
    if (const auto* loss = dynamic_cast<const L1Op*>(op))
      logging::pattern::info("l1 of {} {}", loss->getLambda(),
                             LossOp::reductionTypeToString(loss->getReductionType()));
    return false;
  }
  std::vector<const popart::Tensor*> touches(Op*) const final { return {}; }
  bool apply(Op*) const final { return false; }
};

PatternCreator<Seen> seen("Seen", true);

// Derived: derives from a built-in class and says nothing of its gradient; and one that would run a
// session.

class Derived : public CoshOp {
 public:
  using CoshOp::CoshOp;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Derived>(*this); }
};
OpCreator<Derived> derived(OpDefinitions({{named("Derived"), {}}}));
popx::OpxCreator<BlendOpx> derivedX(named("Derived"));

/// A logistic function that has the gradient of its base, which PopART computes from the result.
class Logistic : public SigmoidOp {
 public:
  using SigmoidOp::SigmoidOp;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Logistic>(*this); }
};
class LogisticOpx : public popx::Opx {
 public:
  using Opx::Opx;
  void grow(poplar::program::Sequence& prog) const final {
    setOutTensor(0, popops::sigmoid(graph(), getInTensor(0), prog, debugContext("logistic")));
  }
};
OpCreator<Logistic> logistic(OpDefinitions({{named("Logistic"), {}}}));
popx::OpxCreator<LogisticOpx> logisticX(named("Logistic"));

/// A sum that has the gradients of its base.
class Summed : public AddOp {
 public:
  using AddOp::AddOp;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Summed>(*this); }
};
OpCreator<Summed> summed(OpDefinitions({{named("Summed"), {}}}));

class SummedOpx : public popx::Opx {
 public:
  SummedOpx(Op* op, popx::Devicex* devicex) : popx::Opx(op, devicex) {
    verifyOp<Summed>(op, named("Summed"));
  }
  void grow(poplar::program::Sequence& prog) const final {
    setOutTensor(0,
                 popops::add(graph(), getInTensor(0), getInTensor(1), prog, debugContext("sum")));
  }
};
popx::OpxCreator<SummedOpx> summedX(named("Summed"));

class Host : public ElementWiseUnaryOp {
 public:
  Host(const OperatorIdentifier& opid, const std::string& what, const Op::Settings& settings)
      : ElementWiseUnaryOp(opid, settings) {
    auto builder = Builder::create();
    if (what == "build") builder->aiOnnxOpset9().relu({"x"});
    InferenceSession::createFromOnnxModel("", DataFlow(1, {{"y", AnchorReturnType("All")}}),
                                          nullptr);
  }
};
OpCreator<Host> host(
    OpDefinitions({{named("Host"), {}}}),
    [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      const auto what = info.attributes.getAttribute<Attributes::String>("what");
      return std::make_unique<Host>(info.opid, what, info.settings);
    },
    true);

}  // namespace
