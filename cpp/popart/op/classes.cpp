// The small operator classes of popart/op/.
#include <popart/alias/aliasmodel.hpp>
#include <popart/op/add.hpp>
#include <popart/op/batchnorm.hpp>
#include <popart/op/clip.hpp>
#include <popart/op/detach.hpp>
#include <popart/op/div.hpp>
#include <popart/op/dropout.hpp>
#include <popart/op/groupnorm.hpp>
#include <popart/op/histogram.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/init.hpp>
#include <popart/op/l1.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/negate.hpp>
#include <popart/op/nll.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/softmax.hpp>
#include <popart/op/subtract.hpp>
#include <popart/op/sum.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>

#include "popart/builtins.hpp"
#include "popart/ir_calls.hpp"
#include "popart/op/copy_of.hpp"

namespace popart {

void builtin::refuseGradient(const Op& op) {
  throw error(
      "{}: its class derives from one of a built-in operator, whose gradient is the compiler's; "
      "the class has to override getGradOps()",
      op.debugName());
}

void builtin::setup(Op& op) {
  if (popir::builtinClass(op) == nullptr)
    throw error(
        "{}: its class derives from one of a built-in operator, whose rule of shapes is the "
        "compiler's; the class has to override setup()",
        op.debugName());
  popir::irCalls().setup(op);
}

void builtin::changed(Op& op, bool isAttribute) {
  const auto* row = op.link() == nullptr ? nullptr : popir::builtinClass(op);
  if (row == nullptr) return;
  if (!isAttribute)
    throw error("{}: {} has this as an input; connect another tensor there", op.debugName(),
                op.opid);
  popir::irCalls().setAttributes(op, row->attributes(op));
}

AddOp::~AddOp() = default;
ClipOp::~ClipOp() = default;
DetachOp::~DetachOp() = default;
DropoutGradOp::~DropoutGradOp() = default;
HistogramOp::~HistogramOp() = default;
InitOp::~InitOp() = default;
NllOp::~NllOp() = default;
NllGradOp::~NllGradOp() = default;
SoftmaxOp::~SoftmaxOp() = default;
SoftmaxGradOp::~SoftmaxGradOp() = default;
DivOp::~DivOp() = default;
MulOp::~MulOp() = default;
SubtractOp::~SubtractOp() = default;
NegateOp::~NegateOp() = default;
ReluOp::~ReluOp() = default;
IdentityOp::~IdentityOp() = default;
IdentityGradOp::~IdentityGradOp() = default;
RandomBaseOp::~RandomBaseOp() = default;
DropoutBaseOp::~DropoutBaseOp() = default;
DropoutOp::~DropoutOp() = default;
BatchNormOp::~BatchNormOp() = default;
GroupNormOp::~GroupNormOp() = default;
LossOp::~LossOp() = default;
L1Op::~L1Op() = default;
L1GradOp::~L1GradOp() = default;
VariadicOp::~VariadicOp() = default;
SumOp::~SumOp() = default;

void VariadicOp::setup() {
  TensorInfo info = inInfo(0);
  for (const auto& in : input->tensorMap()) info = prettyNpOut(info, in.second->info);
  outInfo(getOutIndex()) = info;
}

std::unique_ptr<Op> AddOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ClipOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> DetachOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> DropoutGradOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> HistogramOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> InitOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> NllOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> NllGradOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SoftmaxOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SoftmaxGradOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> DivOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> MulOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SubtractOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> NegateOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ReluOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SumOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> IdentityOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> IdentityGradOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> DropoutOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> BatchNormOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> GroupNormOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> L1Op::clone() const { return copyOf(*this); }
std::unique_ptr<Op> L1GradOp::clone() const { return copyOf(*this); }

// ---- Identity ----

std::vector<std::unique_ptr<Op>> IdentityOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> ops;
  ops.emplace_back(new IdentityGradOp(*this));
  return ops;
}

IdentityGradOp::IdentityGradOp(const IdentityOp& fwdOp) : IdentityGradOp(fwdOp.getSettings()) {}
IdentityGradOp::IdentityGradOp(const Op::Settings& settings)
    : IdentityOp(Onnx::GradOperators::IdentityGrad, settings) {}

const std::vector<GradInOutMapper>& IdentityGradOp::gradInputInfo() const {
  static const std::vector<GradInOutMapper> inputs = {{0, 0, GradOpInType::GradOut}};
  return inputs;
}

const std::map<int, int>& IdentityGradOp::gradOutToNonGradIn() const {
  static const std::map<int, int> outputs = {{0, 0}};
  return outputs;
}

// ---- Dropout and group normalization ----

void DropoutOp::setup() {
  outInfo(getOutIndex()) = inInfo(getInIndex());
  if (hasOutput(getMaskOutIndex()))
    outInfo(getMaskOutIndex()) = TensorInfo(DataType::BOOL, inShape(getInIndex()));
}

void DropoutOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  DropoutBaseOp::appendOutlineAttributes(os);
  os.appendAttribute("ratio", getRatio());
}

void BatchNormOp::setup() {
  outInfo(getYOutIndex()) = inInfo(getXInIndex());
  for (OutIndex out : {getMeanOutIndex(), getSavedMeanOutIndex()})
    if (hasOutput(out)) outInfo(out) = inInfo(getMeanInIndex());
  for (OutIndex out : {getVarOutIndex(), getSavedVarOutIndex()})
    if (hasOutput(out)) outInfo(out) = inInfo(getVarInIndex());
}

void BatchNormOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("epsilon", epsilon_);
  os.appendAttribute("momentum", momentum_);
  os.appendAttribute("spatial", spatial_);
  os.appendAttribute("unbiased_variance", unbiased_);
}

void GroupNormOp::setup() {
  const TensorInfo& x = inInfo(getXInIndex());
  outInfo(getYOutIndex()) = x;
  for (OutIndex out : {getMeanOutIndex(), getInvStdDevOutIndex()})
    if (hasOutput(out)) outInfo(out) = TensorInfo(x.dataType(), {x.dim(0) * numGroups_});
}

void GroupNormOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("epsilon", epsilon_);
  os.appendAttribute("num_groups", numGroups_);
}

// ---- Losses ----

namespace {

const std::vector<std::pair<ReductionType, const char*>>& reductions() {
  static const std::vector<std::pair<ReductionType, const char*>> names = {
      {ReductionType::Sum, "Sum"},
      {ReductionType::Mean, "Mean"},
      {ReductionType::NoReduction, "NoReduction"}};
  return names;
}

}  // namespace

std::string LossOp::reductionTypeToString(ReductionType reduction) {
  for (const auto& r : reductions())
    if (r.first == reduction) return r.second;
  throw error("{} is no reduction of a loss", static_cast<int>(reduction));
}

ReductionType LossOp::reductionTypeFromString(const std::string& reduction) {
  for (const auto& r : reductions())
    if (r.second == reduction) return r.first;
  throw error("'{}' is no reduction of a loss: Sum, Mean or NoReduction", reduction);
}

void L1Op::setup() {
  const TensorInfo& in = inInfo(getInIndex());
  outInfo(getOutIndex()) =
      getReductionType() == ReductionType::NoReduction ? in : TensorInfo(in.dataType(), {});
}

L1GradOp::L1GradOp(const L1Op& op)
    : Op(Onnx::CustomGradOperators::L1Grad, op.settings),
      lambda_(op.getLambda()),
      reduction_(op.getReductionType()) {}

const std::vector<GradInOutMapper>& L1GradOp::gradInputInfo() const {
  static const std::vector<GradInOutMapper> inputs = {{0, 0, GradOpInType::In},
                                                      {1, 0, GradOpInType::GradOut}};
  return inputs;
}

const std::map<int, int>& L1GradOp::gradOutToNonGradIn() const {
  static const std::map<int, int> outputs = {{0, 0}};
  return outputs;
}

void L1GradOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("lambda", lambda_);
  os.appendAttribute("reduction", LossOp::reductionTypeToString(reduction_));
}

void NllOp::setup() {
  const TensorInfo& labels = inInfo(getLabelInIndex());
  const bool each = getReductionType() == ReductionType::NoReduction;
  outInfo(getOutIndex()) =
      TensorInfo(inInfo(getProbsInIndex()).dataType(), each ? labels.shape() : Shape());
}

void NllOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  LossOp::appendOutlineAttributes(os);
  os.appendAttribute("inputIsLogProbability", inputIsLogProbability_);
  if (ignoreIndex_) os.appendAttribute("ignoreIndex", *ignoreIndex_);
}

NllGradOp::NllGradOp(const NllOp& op)
    : NllGradOp(op.hasOutput(NllOp::getOutIndex()) ? op.outId(NllOp::getOutIndex()) : TensorId(),
                op.getOptionalIgnoreIndex(), op.getReductionType(), op.inputIsLogProbability(),
                op.settings) {}

NllGradOp::NllGradOp(const TensorId& lossId, const nonstd::optional<int> ignoreIndex,
                     const ReductionType reduction, const bool inputIsLogProbability,
                     const Op::Settings& settings)
    : Op(Onnx::CustomGradOperators::NllGrad, settings),
      lossId_(lossId),
      reduction_(reduction),
      ignoreIndex_(ignoreIndex),
      inputIsLogProbability_(inputIsLogProbability) {}

const std::vector<GradInOutMapper>& NllGradOp::gradInputInfo() const {
  static const std::vector<GradInOutMapper> inputs = {
      {getProbsInIndex(), NllOp::getProbsInIndex(), GradOpInType::In},
      {getLabelInIndex(), NllOp::getLabelInIndex(), GradOpInType::In},
      {getGradInIndex(), NllOp::getOutIndex(), GradOpInType::GradOut}};
  return inputs;
}

const std::map<int, int>& NllGradOp::gradOutToNonGradIn() const {
  static const std::map<int, int> outputs = {{getOutIndex(), NllOp::getProbsInIndex()}};
  return outputs;
}

void NllGradOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("reduction", LossOp::reductionTypeToString(reduction_));
  os.appendAttribute("inputIsLogProbability", inputIsLogProbability_);
  if (ignoreIndex_) os.appendAttribute("ignoreIndex", *ignoreIndex_);
}

void L1Op::appendOutlineAttributes(OpSerialiserBase& os) const {
  LossOp::appendOutlineAttributes(os);
  os.appendAttribute("lambda", lambda_);
}

void DropoutBaseOp::setRatio(float ratio) {
  ratio_ = ratio;
  builtin::changed(*this);
}

// ---- Others ----

void ClipOp::setClipMin(float value) {
  min_ = value;
  builtin::changed(*this, opid.version < 11);
}

void ClipOp::setClipMax(float value) {
  max_ = value;
  builtin::changed(*this, opid.version < 11);
}

void SoftmaxOp::setAxis(int64_t axis) {
  axis_ = axis;
  builtin::changed(*this);
}

void ClipOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("min", min_);
  os.appendAttribute("max", max_);
}

void SoftmaxOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("axis", axis_);
}

void HistogramOp::setup() {
  outInfo(getOutIndex()) = TensorInfo(DataType::UINT32, {static_cast<int64_t>(levels_.size()) + 1});
}

void HistogramOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("levels", levels_);
  os.appendAttribute("absoluteOfInput", absolute_);
}

void InitOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("init_type", static_cast<int>(init_));
  os.appendAttribute("tensor_type", static_cast<int>(type_));
}

}  // namespace popart
