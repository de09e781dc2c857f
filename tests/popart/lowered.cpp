// Operators that are lowered by the classes of popart/popx/op/, which a program may give to its own.
#include <popart/op/clip.hpp>
#include <popart/op/concat.hpp>
#include <popart/op/elementwise.hpp>
#include <popart/op/elu.hpp>
#include <popart/op/hardsigmoid.hpp>
#include <popart/op/leakyrelu.hpp>
#include <popart/op/reduce.hpp>
#include <popart/op/reshape.hpp>
#include <popart/op/scale.hpp>
#include <popart/op/selu.hpp>
#include <popart/op/shrink.hpp>
#include <popart/op/sum.hpp>
#include <popart/op/thresholdedrelu.hpp>
#include <popart/op/transpose.hpp>
#include <popart/opmanager.hpp>
#include <popart/popx/op/absx.hpp>
#include <popart/popx/op/addx.hpp>
#include <popart/popx/op/andx.hpp>
#include <popart/popx/op/asinx.hpp>
#include <popart/popx/op/atan2x.hpp>
#include <popart/popx/op/atanx.hpp>
#include <popart/popx/op/bitwisex.hpp>
#include <popart/popx/op/castx.hpp>
#include <popart/popx/op/ceilx.hpp>
#include <popart/popx/op/clipx.hpp>
#include <popart/popx/op/concatx.hpp>
#include <popart/popx/op/cosx.hpp>
#include <popart/popx/op/detachx.hpp>
#include <popart/popx/op/divx.hpp>
#include <popart/popx/op/elux.hpp>
#include <popart/popx/op/equalx.hpp>
#include <popart/popx/op/erfx.hpp>
#include <popart/popx/op/expm1x.hpp>
#include <popart/popx/op/expx.hpp>
#include <popart/popx/op/floorx.hpp>
#include <popart/popx/op/fmodx.hpp>
#include <popart/popx/op/geluerfx.hpp>
#include <popart/popx/op/gelux.hpp>
#include <popart/popx/op/greaterx.hpp>
#include <popart/popx/op/hardsigmoidx.hpp>
#include <popart/popx/op/identityx.hpp>
#include <popart/popx/op/isinfx.hpp>
#include <popart/popx/op/isnanx.hpp>
#include <popart/popx/op/leakyrelux.hpp>
#include <popart/popx/op/lessx.hpp>
#include <popart/popx/op/log1px.hpp>
#include <popart/popx/op/logx.hpp>
#include <popart/popx/op/maxx.hpp>
#include <popart/popx/op/meanx.hpp>
#include <popart/popx/op/minx.hpp>
#include <popart/popx/op/mulx.hpp>
#include <popart/popx/op/nearbyintx.hpp>
#include <popart/popx/op/negatex.hpp>
#include <popart/popx/op/nopx.hpp>
#include <popart/popx/op/notx.hpp>
#include <popart/popx/op/orx.hpp>
#include <popart/popx/op/powx.hpp>
#include <popart/popx/op/prelux.hpp>
#include <popart/popx/op/reciprocalx.hpp>
#include <popart/popx/op/reducel1x.hpp>
#include <popart/popx/op/reducel2x.hpp>
#include <popart/popx/op/reducelogsumexpx.hpp>
#include <popart/popx/op/reducelogsumx.hpp>
#include <popart/popx/op/reducemaxx.hpp>
#include <popart/popx/op/reducemeanx.hpp>
#include <popart/popx/op/reduceminx.hpp>
#include <popart/popx/op/reduceprodx.hpp>
#include <popart/popx/op/reducesumsquarex.hpp>
#include <popart/popx/op/reducesumx.hpp>
#include <popart/popx/op/relux.hpp>
#include <popart/popx/op/reshapex.hpp>
#include <popart/popx/op/roundx.hpp>
#include <popart/popx/op/scalex.hpp>
#include <popart/popx/op/selux.hpp>
#include <popart/popx/op/shrinkx.hpp>
#include <popart/popx/op/sigmoidx.hpp>
#include <popart/popx/op/signx.hpp>
#include <popart/popx/op/sinhx.hpp>
#include <popart/popx/op/sinx.hpp>
#include <popart/popx/op/softsignx.hpp>
#include <popart/popx/op/sqrtx.hpp>
#include <popart/popx/op/squarex.hpp>
#include <popart/popx/op/subtractx.hpp>
#include <popart/popx/op/sumx.hpp>
#include <popart/popx/op/swishx.hpp>
#include <popart/popx/op/thresholdedrelux.hpp>
#include <popart/popx/op/transposex.hpp>
#include <popart/popx/opxmanager.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace popart;

namespace {

OperatorIdentifier named(const std::string& type) { return {"test", type, 1}; }

/// What the gradients of operators read besides the gradient of the output, by the operators' types:
/// the input 'i', the output 'o', both in that order, or nothing.
std::map<std::string, std::string>& reads() {
  static std::map<std::string, std::string> all;
  return all;
}

std::vector<GradInOutMapper> mappers(const std::string& type) {
  std::vector<GradInOutMapper> mappers = {{0, 0, GradOpInType::GradOut}};
  for (char tensor : reads().at(type))
    mappers.emplace_back(static_cast<int>(mappers.size()), 0,
                         tensor == 'i' ? GradOpInType::In : GradOpInType::Out);
  return mappers;
}

const std::map<int, int>& toFirst() {
  static const std::map<int, int> map = {{0, 0}};
  return map;
}

class Gradient : public Op {
 public:
  explicit Gradient(const Op& forward)
      : Op(named(forward.opid.type + "Grad"), forward.getSettings()),
        mappers_(mappers(forward.opid.type)) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<Gradient>(*this); }
  void setup() final { outInfo(0) = inInfo(0); }
  const std::vector<GradInOutMapper>& gradInputInfo() const final { return mappers_; }
  const std::map<int, int>& gradOutToNonGradIn() const final { return toFirst(); }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }

 private:
  std::vector<GradInOutMapper> mappers_;
};

/// An operator of a class of PopART's, which has a gradient if reads() has its type.
template <class OP>
struct Made : OP {
  using OP::OP;
  std::unique_ptr<Op> clone() const override { return std::make_unique<Made>(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() override {
    std::vector<std::unique_ptr<Op>> made;
    if (reads().count(this->opid.type)) made.push_back(std::make_unique<Gradient>(*this));
    return made;
  }
};

class ReducedGradient : public ReduceGradOp {
 public:
  ReducedGradient(const ReduceOp& forward)
      : ReduceGradOp(named(forward.opid.type + "Grad"), forward, forward.backwardShape()),
        mappers_(mappers(forward.opid.type)) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<ReducedGradient>(*this); }
  const std::vector<GradInOutMapper>& gradInputInfo() const final { return mappers_; }

 private:
  std::vector<GradInOutMapper> mappers_;
};

class Reduced : public ReduceOp {
 public:
  using ReduceOp::ReduceOp;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Reduced>(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() final {
    std::vector<std::unique_ptr<Op>> made;
    made.push_back(std::make_unique<ReducedGradient>(*this));
    return made;
  }
};

/// The element type as an attribute.
class Converted : public Op {
 public:
  Converted(const OperatorIdentifier& opid, DataType to, const Op::Settings& settings)
      : Op(opid, settings), to_(to) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<Converted>(*this); }
  void setup() final { outInfo(0) = {to_, inShape(0)}; }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }

 private:
  DataType to_;
};

struct Sum : VariadicOp {
  using VariadicOp::VariadicOp;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Sum>(*this); }
};

/// The gradient of input 0 of several tensors, with the gradient, this input and the output.
class Part : public Op {
 public:
  using Op::Op;
  std::unique_ptr<Op> clone() const final { return std::make_unique<Part>(*this); }
  void setup() final { outInfo(0) = inInfo(1); }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
};

/// Registers types of operators for the classes that lower them.
struct Register {
  template <class OPX>
  static void lowering(const std::string& type) {
    static std::vector<std::unique_ptr<popx::OpxCreator<OPX>>> all;
    all.push_back(std::make_unique<popx::OpxCreator<OPX>>(named(type)));
  }
  template <class OP, class OPX>
  static void plain(const std::string& type) {
    static std::vector<std::unique_ptr<OpCreator<OP>>> all;
    all.push_back(std::make_unique<OpCreator<OP>>(OpDefinitions({{named(type), {}}})));
    lowering<OPX>(type);
  }
  template <class OP, class OPX>
  static void made(const std::string& type, OpManager::OpFactoryFunc factory) {
    static std::vector<std::unique_ptr<OpCreator<OP>>> all;
    all.push_back(
        std::make_unique<OpCreator<OP>>(OpDefinitions({{named(type), {}}}), factory, true));
    lowering<OPX>(type);
  }
  template <class OPX>
  static void unary(const std::string& type) {
    plain<Made<ElementWiseUnaryOp>, OPX>(type);
  }
  template <class OPX>
  static void boolean(const std::string& type) {
    plain<Made<ElementWiseUnaryBooleanOp>, OPX>(type);
  }
  template <class OPX>
  static void inplace(const std::string& type) {
    plain<Made<ElementWiseInplaceUnaryOp>, OPX>(type);
  }
  template <class OPX>
  static void binary(const std::string& type) {
    plain<Made<ElementWiseBinaryOp>, OPX>(type);
  }
  template <class OPX>
  static void compared(const std::string& type) {
    plain<Made<BinaryComparisonOp>, OPX>(type);
  }
  template <class OPX, class GRAD>
  static void differentiated(const std::string& type, const std::string& read) {
    reads()[type] = read;
    unary<OPX>(type);
    lowering<GRAD>(type + "Grad");
  }
  template <class OPX, class GRAD>
  static void reduced(const std::string& type, const std::string& read) {
    reads()[type] = read;
    lowering<GRAD>(type + "Grad");
    made<Reduced, OPX>(type, [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<Reduced>(
          info.opid, info.attributes.getAttribute<Attributes::Ints>("axes"),
          info.attributes.getAttribute<Attributes::Int>("keepdims"), info.settings);
    });
  }
  /// Of operators of a class whose constructor takes one number, `a`.
  template <class OP, class OPX>
  static void one(const std::string& type) {
    made<Made<OP>, OPX>(type, [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<Made<OP>>(
          info.opid, info.attributes.getAttribute<Attributes::Float>("a"), info.settings);
    });
  }
  template <class OP, class OPX>
  static void two(const std::string& type) {
    made<Made<OP>, OPX>(type, [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<Made<OP>>(
          info.opid, info.attributes.getAttribute<Attributes::Float>("a"),
          info.attributes.getAttribute<Attributes::Float>("b"), info.settings);
    });
  }

  Register() {
    using namespace popx;
    differentiated<AsinOpx, AsinGradOpx>("Asin", "i");
    differentiated<AtanOpx, AtanGradOpx>("Atan", "i");
    differentiated<ErfxOpx, ErfxGradOpx>("Erf", "i");
    differentiated<GeluErfOpx, GeluErfGradOpx>("GeluErf", "i");
    differentiated<ReluOpx, ReluGradOpx>("Relu", "o");
    differentiated<SigmoidOpx, SigmoidGradOpx>("Sigmoid", "o");
    differentiated<SinhOpx, SinhGradOpx>("Sinh", "i");
    differentiated<SoftSignOpx, SoftSignGradOpx>("SoftSign", "i");
    differentiated<SwishOpx, SwishGradOpx>("Swish", "i");
    differentiated<NegateOpx, NegateGradOpx>("Negate", "");
    differentiated<IdentityOpx, IdentityGradOpx>("Identity", "");
    unary<AbsOpx>("Abs"), unary<CosOpx>("Cos"), unary<SinOpx>("Sin"), unary<LogOpx>("Log");
    unary<SqrtOpx>("Sqrt"), unary<SquareOpx>("Square"), unary<ReciprocalOpx>("Reciprocal");
    unary<CeilOpx>("Ceil"), unary<FloorOpx>("Floor"), unary<NearbyIntOpx>("NearbyInt");
    unary<RoundOpx>("Round"), unary<SignOpx>("Sign"), unary<ExpOpx>("Exp");
    unary<Expm1Opx>("Expm1"), unary<Log1pOpx>("Log1p"), unary<GeluOpx>("Gelu");
    unary<DetachOpx>("Detach"), unary<NopOpx>("Nop"), unary<BitwiseNotOpx>("BitwiseNot");
    boolean<IsInfx>("IsInf"), boolean<IsNaNx>("IsNaN"), boolean<NotOpx>("Not");
    inplace<AsinInplaceOpx>("AsinInplace"), inplace<AtanInplaceOpx>("AtanInplace");
    inplace<CeilInplaceOpx>("CeilInplace"), inplace<ExpInplaceOpx>("ExpInplace");
    inplace<Expm1InplaceOpx>("Expm1Inplace"), inplace<FloorInplaceOpx>("FloorInplace");
    inplace<GeluErfInplaceOpx>("GeluErfInplace"), inplace<GeluInplaceOpx>("GeluInplace");
    inplace<Log1pInplaceOpx>("Log1pInplace"), inplace<ReluInplaceOpx>("ReluInplace");
    inplace<NearbyIntInplaceOpx>("NearbyIntInplace"), inplace<RoundInplaceOpx>("RoundInplace");
    inplace<SigmoidInplaceOpx>("SigmoidInplace"), inplace<SignInplaceOpx>("SignInplace");
    inplace<SinhInplaceOpx>("SinhInplace"), inplace<SoftSignInplaceOpx>("SoftSignInplace");
    inplace<SwishInplaceOpx>("SwishInplace"), inplace<DetachInplaceOpx>("DetachInplace");
    one<EluOp, EluOpx>("Elu"), one<LeakyReluOp, LeakyReluOpx>("LeakyRelu");
    one<ThresholdedReluOp, ThresholdedReluOpx>("ThresholdedRelu"), one<ScaleOp, ScaleOpx>("Scale");
    one<ScaleInplaceOp, ScaleInplaceOpx>("ScaleInplace"), two<ClipOp, ClipOpx>("Clip");
    two<HardSigmoidOp, HardSigmoidOpx>("HardSigmoid"), two<SeluOp, SeluOpx>("Selu");
    two<ShrinkOp, ShrinkOpx>("Shrink");
    binary<AddOpx>("Add"), binary<MulOpx>("Mul"), binary<PowOpx>("Pow"), binary<DivOpx>("Div");
    binary<SubtractOpx>("Subtract"), binary<FmodOpx>("Fmod"), binary<Atan2Opx>("Atan2");
    binary<PReluOpx>("PRelu"), binary<BitwiseBinaryOpx>("BitwiseAnd");
    binary<BitwiseBinaryOpx>("BitwiseOr"), binary<BitwiseBinaryOpx>("BitwiseXor");
    binary<BitwiseBinaryOpx>("BitwiseXnor"), binary<BitwiseBinaryOpx>("BitwiseNand");
    plain<Made<ElementWiseBinaryInplaceLhsOp>, AddLhsInplaceOpx>("AddLhs");
    plain<Made<ElementWiseBinaryInplaceRhsOp>, AddRhsInplaceOpx>("AddRhs");
    plain<Made<ElementWiseBinaryInplaceLhsOp>, MulLhsInplaceOpx>("MulLhs");
    plain<Made<ElementWiseBinaryInplaceRhsOp>, MulRhsInplaceOpx>("MulRhs");
    plain<Made<ElementWiseBinaryInplaceLhsOp>, PowLhsInplaceOpx>("PowLhs");
    plain<Made<ElementWiseBinaryInplaceLhsOp>, Atan2LhsInplaceOpx>("Atan2Lhs");
    compared<EqualOpx>("Equal"), compared<GreaterOpx>("Greater"), compared<LessOpx>("Less");
    compared<AndOpx>("And"), compared<OrOpx>("Or");
    reduced<ReduceSumOpx, ReduceSumGradOpx>("ReduceSum", "");
    reduced<ReduceMeanOpx, ReduceMeanGradOpx>("ReduceMean", "");
    reduced<ReduceMaxOpx, ReduceMaxGradOpx>("ReduceMax", "io");
    reduced<ReduceMinOpx, ReduceMinGradOpx>("ReduceMin", "io");
    reduced<ReduceProdOpx, ReduceProdGradOpx>("ReduceProd", "i");
    reduced<ReduceL1Opx, ReduceL1GradOpx>("ReduceL1", "i");
    reduced<ReduceL2Opx, ReduceL2GradOpx>("ReduceL2", "io");
    reduced<ReduceLogSumOpx, ReduceLogSumGradOpx>("ReduceLogSum", "o");
    reduced<ReduceLogSumExpOpx, ReduceLogSumExpGradOpx>("ReduceLogSumExp", "io");
    reduced<ReduceSumSquareOpx, ReduceSumSquareGradOpx>("ReduceSumSquare", "i");
    plain<Sum, SumOpx>("Sum"), plain<Sum, MeanOpx>("Mean"), plain<Sum, MinOpx>("Min");
    plain<Sum, MaxOpx>("Max"), plain<Part, MinArgGradOpx>("MinPart");
    plain<Part, MaxArgGradOpx>("MaxPart"), plain<Part, SumArgGradOpx>("SumPart");
    made<Converted, CastOpx>("Cast", [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      const auto to = info.attributes.getAttribute<Attributes::String>("to");
      return std::make_unique<Converted>(info.opid, dataTypeFromString(to), info.settings);
    });
    const auto reshaped = [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<Made<ReshapeBaseOp>>(
          info.opid, info.attributes.getAttribute<Attributes::Ints>("to"), info.settings);
    };
    made<Made<ReshapeBaseOp>, ReshapeOpx>("Reshape", reshaped);
    const auto turned = [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<Made<TransposeBaseOp>>(
          info.opid, info.attributes.getAttribute<Attributes::Ints>("perm"), info.settings);
    };
    made<Made<TransposeBaseOp>, TransposeOpx>("Transpose", turned);
    made<Made<ConcatOp>, ConcatOpx>("Concat", [](const OpCreatorInfo& info) -> std::unique_ptr<Op> {
      return std::make_unique<Made<ConcatOp>>(
          info.opid, info.attributes.getAttribute<Attributes::Int>("axis"), info.settings);
    });
  }
} registered;

}  // namespace
