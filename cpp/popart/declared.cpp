// Members of PopART's classes that its own sources define too: a header that had their bodies would
// not let those compile.
#include <popart/op/abort.hpp>
#include <popart/op/and.hpp>
#include <popart/op/autolossscaleproxy.hpp>
#include <popart/op/binaryconstscalar.hpp>
#include <popart/op/bitwise.hpp>
#include <popart/op/bucketize.hpp>
#include <popart/op/cos.hpp>
#include <popart/op/div.hpp>
#include <popart/op/equal.hpp>
#include <popart/op/exchange/exchange.hpp>
#include <popart/op/fmod.hpp>
#include <popart/op/greater.hpp>
#include <popart/op/init.hpp>
#include <popart/op/less.hpp>
#include <popart/op/log.hpp>
#include <popart/op/nop.hpp>
#include <popart/op/not.hpp>
#include <popart/op/or.hpp>
#include <popart/op/prelu.hpp>
#include <popart/op/reciprocal.hpp>
#include <popart/op/reducel1.hpp>
#include <popart/op/reducel2.hpp>
#include <popart/op/reducelogsum.hpp>
#include <popart/op/reducelogsumexp.hpp>
#include <popart/op/reducemax.hpp>
#include <popart/op/reducemean.hpp>
#include <popart/op/reducemin.hpp>
#include <popart/op/reduceprod.hpp>
#include <popart/op/reducesum.hpp>
#include <popart/op/sin.hpp>
#include <popart/op/square.hpp>
#include <popart/op/varupdate.hpp>
#include <popart/patterns/binarygradoppattern.hpp>
#include <popart/patterns/cosgradoppattern.hpp>
#include <popart/patterns/coshoppattern.hpp>
#include <popart/patterns/expgradoppattern.hpp>
#include <popart/patterns/expm1gradoppattern.hpp>
#include <popart/patterns/log1pgradoppattern.hpp>
#include <popart/patterns/loggradoppattern.hpp>
#include <popart/patterns/mularggradoppattern.hpp>
#include <popart/patterns/reciprocalgradoppattern.hpp>
#include <popart/patterns/splitoppattern.hpp>
#include <popart/patterns/sqrtgradoppattern.hpp>
#include <popart/patterns/sumtoaddpattern.hpp>

namespace popart {

AbortOp::AbortOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : Op(opid, settings) {}

void AbortOp::setup() { builtin::setup(*this); }

AndOp::AndOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : BinaryComparisonOp(opid, settings) {}

std::vector<std::unique_ptr<Op>> AndOp::getGradOps() { builtin::refuseGradient(*this); }

AutoLossScaleProxyOp::AutoLossScaleProxyOp(const OperatorIdentifier& opid,
                                           const Op::Settings& settings)
    : ElementWiseUnaryOp(opid, settings) {}

std::vector<std::unique_ptr<Op>> BinaryConstScalarOp::getGradOps() {
  builtin::refuseGradient(*this);
}

BitwiseNotOp::BitwiseNotOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : ElementWiseUnaryOp(opid, settings) {}

BitwiseBinaryOp::BitwiseBinaryOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : ElementWiseBinaryOp(opid, settings) {}

std::vector<std::unique_ptr<Op>> BitwiseBinaryOp::getGradOps() { builtin::refuseGradient(*this); }

std::vector<std::unique_ptr<Op>> BitwiseNotOp::getGradOps() { builtin::refuseGradient(*this); }

bool BucketizeOp::isRight() const noexcept { return right_; }

float BucketizeOp::getSubgraphValue() const { return getLowSubgraphValue(); }

BucketizeOp::BucketizeOp(const OperatorIdentifier& opid, bool right, const Op::Settings& settings)
    : Op(opid, settings), right_(right) {}

CosOp::CosOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : ElementWiseUnaryOp(opid, settings) {}

DivOp::DivOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : ElementWiseBinaryOp(opid, settings) {}

EqualOp::EqualOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : BinaryComparisonOp(opid, settings) {}

std::vector<std::unique_ptr<Op>> EqualOp::getGradOps() { builtin::refuseGradient(*this); }

ExchangeDescriptor::ExchangeDescriptor(ExchangeDirection direction, GraphId id, TileSet destination,
                                       CodeMemoryType destinationType)
    : direction_(direction),
      tileSet_(destination),
      inputs_(0),
      outputs_(0),
      inplace_(false),
      graph_(id),
      code_(destinationType) {}

ExchangeDescriptor::ExchangeDescriptor(ExchangeDirection direction, RemoteBufferId id,
                                       OptionalVGraphId vgid, TileSet tileSet, int numInputs,
                                       int numOutputs, bool inplace)
    : direction_(direction),
      buffer_(id),
      vgid_(vgid),
      tileSet_(tileSet),
      inputs_(numInputs),
      outputs_(numOutputs),
      inplace_(inplace) {}

ExchangeDescriptor::ExchangeDescriptor(ExchangeDirection direction, TensorId id,
                                       OptionalVGraphId vgid, TileSet tileSet, int numInputs,
                                       int numOutputs, bool inplace)
    : direction_(direction),
      stream_(id),
      vgid_(vgid),
      tileSet_(tileSet),
      inputs_(numInputs),
      outputs_(numOutputs),
      inplace_(inplace) {}

FmodOp::FmodOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : ElementWiseBinaryOp(opid, settings) {}

GreaterOp::GreaterOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : BinaryComparisonOp(opid, settings) {}

std::vector<std::unique_ptr<Op>> GreaterOp::getGradOps() { builtin::refuseGradient(*this); }

void InitOp::setup() { outInfo(getOutIndex()) = info_; }

InitOp::InitOp(const OperatorIdentifier& opid, const TensorInfo& info, const TensorType& type,
               const InitType& init, const Op::Settings& settings, const int batchAxis)
    : Op(opid, settings), info_(info), type_(type), init_(init), batchAxis_(batchAxis) {}

LessOp::LessOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : BinaryComparisonOp(opid, settings) {}

std::vector<std::unique_ptr<Op>> LessOp::getGradOps() { builtin::refuseGradient(*this); }

LogOp::LogOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : ElementWiseUnaryOp(opid, settings) {}

NopOp::NopOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : ElementWiseUnaryOp(opid, settings) {}

std::vector<std::unique_ptr<Op>> NopOp::getGradOps() { builtin::refuseGradient(*this); }

NotOp::NotOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : ElementWiseUnaryOp(opid, settings) {}

std::vector<std::unique_ptr<Op>> NotOp::getGradOps() { builtin::refuseGradient(*this); }

OrOp::OrOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : BinaryComparisonOp(opid, settings) {}

std::vector<std::unique_ptr<Op>> OrOp::getGradOps() { builtin::refuseGradient(*this); }

PReluOp::PReluOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : ElementWiseBinaryOp(opid, settings) {}

ReciprocalOp::ReciprocalOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : ElementWiseUnaryOp(opid, settings) {}

ReduceL1Op::ReduceL1Op(const OperatorIdentifier& opid,
                       const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims,
                       const Op::Settings& settings)
    : ReduceOp(opid, axes, keepdims, settings) {}

ReduceL2Op::ReduceL2Op(const OperatorIdentifier& opid,
                       const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims,
                       const Op::Settings& settings)
    : ReduceOp(opid, axes, keepdims, settings) {}

ReduceLogSumOp::ReduceLogSumOp(const OperatorIdentifier& opid,
                               const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims,
                               const Op::Settings& settings)
    : ReduceOp(opid, axes, keepdims, settings) {}

ReduceLogSumExpOp::ReduceLogSumExpOp(const OperatorIdentifier& opid,
                                     const nonstd::optional<std::vector<int64_t>>& axes,
                                     int64_t keepdims, const Op::Settings& settings)
    : ReduceOp(opid, axes, keepdims, settings) {}

ReduceMaxOp::ReduceMaxOp(const OperatorIdentifier& opid,
                         const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims,
                         const Op::Settings& settings)
    : ReduceOp(opid, axes, keepdims, settings) {}

ReduceMeanOp::ReduceMeanOp(const OperatorIdentifier& opid,
                           const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims,
                           const Op::Settings& settings)
    : ReduceOp(opid, axes, keepdims, settings) {}

ReduceMinOp::ReduceMinOp(const OperatorIdentifier& opid,
                         const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims,
                         const Op::Settings& settings)
    : ReduceOp(opid, axes, keepdims, settings) {}

ReduceProdOp::ReduceProdOp(const OperatorIdentifier& opid,
                           const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims,
                           const Op::Settings& settings)
    : ReduceOp(opid, axes, keepdims, settings) {}

ReduceSumOp::ReduceSumOp(const OperatorIdentifier& opid,
                         const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims,
                         const Op::Settings& settings)
    : ReduceOp(opid, axes, keepdims, settings) {}

SinOp::SinOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : ElementWiseUnaryOp(opid, settings) {}

SquareOp::SquareOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : ElementWiseUnaryOp(opid, settings) {}

std::vector<std::unique_ptr<Op>> SquareOp::getGradOps() { builtin::refuseGradient(*this); }

VarUpdateWithUpdaterOp::VarUpdateWithUpdaterOp(const OperatorIdentifier& opid,
                                               const Op::Settings& settings)
    : VarUpdateOp(opid, settings) {}

VarUpdateWithUpdaterOp::VarUpdateWithUpdaterOp(const OperatorIdentifier& opid,
                                               const TensorId& varId, const Op::Settings& settings)
    : VarUpdateOp(opid, varId, settings) {}

VarUpdateOp::VarUpdateOp(const OperatorIdentifier& opid, const Op::Settings& settings)
    : Op(opid, settings) {}

VarUpdateOp::VarUpdateOp(const OperatorIdentifier& opid, const TensorId& varId,
                         const Op::Settings& settings)
    : Op(opid, settings), varId_(varId) {}

std::vector<const Tensor*> BinaryGradOpPattern::touches(Op*) const { return {}; }

std::vector<const Tensor*> CosGradOpPattern::touches(Op*) const { return {}; }

std::vector<const Tensor*> CoshOpPattern::touches(Op*) const { return {}; }

std::vector<const Tensor*> ExpGradOpPattern::touches(Op*) const { return {}; }
std::vector<const Tensor*> Expm1GradOpPattern::touches(Op*) const { return {}; }

std::vector<const Tensor*> Log1pGradOpPattern::touches(Op*) const { return {}; }

std::vector<const Tensor*> LogGradOpPattern::touches(Op*) const { return {}; }

std::vector<const Tensor*> MulArgGradOpPattern::touches(Op*) const { return {}; }

std::vector<const Tensor*> ReciprocalGradOpPattern::touches(Op*) const { return {}; }

std::vector<const Tensor*> SplitOpPattern::touches(Op*) const { return {}; }

std::vector<const Tensor*> SqrtGradOpPattern::touches(Op*) const { return {}; }

std::vector<const Tensor*> SumToAddPattern::touches(Op*) const { return {}; }

}  // namespace popart
