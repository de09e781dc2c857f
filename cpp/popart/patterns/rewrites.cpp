// Patterns of PopART's that put simple operators in place of others, in graphs of a program.
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/add.hpp>
#include <popart/op/cast.hpp>
#include <popart/op/cosh.hpp>
#include <popart/op/exp.hpp>
#include <popart/op/expand.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/negate.hpp>
#include <popart/op/pad.hpp>
#include <popart/op/randomnormal.hpp>
#include <popart/op/randomuniform.hpp>
#include <popart/op/reshape.hpp>
#include <popart/op/scale.hpp>
#include <popart/op/slice.hpp>
#include <popart/op/split.hpp>
#include <popart/op/sum.hpp>
#include <popart/operators.hpp>
#include <popart/patterns/coshoppattern.hpp>
#include <popart/patterns/expandcast.hpp>
#include <popart/patterns/fuser.hpp>
#include <popart/patterns/likeopspattern.hpp>
#include <popart/patterns/negativeonescalepattern.hpp>
#include <popart/patterns/optoidentitypattern.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/patterns/postnrepl.hpp>
#include <popart/patterns/preunirepl.hpp>
#include <popart/patterns/splitoppattern.hpp>
#include <popart/patterns/sumtoaddpattern.hpp>
#include <popart/patterns/viewsimplifypattern.hpp>
#include <popart/tensor.hpp>
#include <popart/tensors.hpp>
#include <popart/topocons.hpp>

#include <map>
#include <utility>

namespace popart {
namespace {

const AddPatternName<PreUniRepl> preUniReplName("PreUniRepl");
const AddPatternName<PostNRepl> postNReplName("PostNRepl");
const AddPatternName<SumToAddPattern> sumToAddName("SumToAdd");
const AddPatternName<CoshOpPattern> coshName("CoshOp");
const AddPatternName<SplitOpPattern> splitName("SplitOp");
const AddPatternName<ViewSimplifyPattern> viewSimplifyName("ViewSimplifyPattern");
const AddPatternName<ExpandCastPattern> expandCastName("ExpandCast");
const AddPatternName<OpToIdentityPattern> opToIdentityName("OpToIdentity");
const AddPatternName<NegativeOneScalePattern> negativeOneScaleName("NegativeOneScale");
const AddPatternName<LikeOpsPattern<RandomNormalLikeOp>> normalLikeName(
    "RandomNormalLikeOpPattern");
const AddPatternName<LikeOpsPattern<RandomUniformLikeOp>> uniformLikeName(
    "RandomUniformLikeOpPattern");

using Inputs = std::map<InIndex, TensorId>;

/// An operator that others take the place of: it is in no graph when this object is gone.
class Replaced {
 public:
  explicit Replaced(Op* op)
      : op_(op),
        graph_(op->getGraph()),
        in(op->input->tensorIdMap()),
        out(op->output->tensorIdMap()) {
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
  }
  ~Replaced() { graph_.eraseOp(op_->id); }
  Replaced(const Replaced&) = delete;
  Replaced& operator=(const Replaced&) = delete;

  /// With the properties of the operator, and the output `to`, which is new if it is "".
  template <class OP, class... Args>
  OP* make(const Inputs& inputs, const TensorId& to, Args&&... args) {
    OP* made = graph_.createOp<OP>(std::forward<Args>(args)..., Op::Settings(graph_, op_->name()));
    op_->transferBaseProperties(made);
    for (const auto& each : inputs) made->connectInTensor(each.first, each.second);
    if (to.empty())
      made->createAndConnectOutTensor(
          0, graph_.getIr().createIntermediateTensorId(out.begin()->second));
    else
      made->connectOutTensor(0, to);
    made->setup();
    return made;
  }

 private:
  Op* op_;
  Graph& graph_;

 public:
  const std::map<InIndex, TensorId> in;
  const std::map<OutIndex, TensorId> out;
};

bool isView(const Op* op) {
  return dynamic_cast<const IdentityOp*>(op) != nullptr ||
         dynamic_cast<const ReshapeBaseOp*>(op) != nullptr;
}

/// A sum of one tensor, or a pad of nothing.
bool givesItsInput(const Op* op) {
  if (dynamic_cast<const SumOp*>(op) != nullptr) return op->input->n() == 1;
  const auto* pad = dynamic_cast<const PadOp*>(op);
  return pad != nullptr && pad->padSizeZero() && pad->canBeReplacedByIdentity();
}

bool isOutput(const Op* op, const Tensor* tensor) { return op->getGraph().hasOutputId(tensor->id); }

}  // namespace

PreUniRepl::~PreUniRepl() = default;
PostNRepl::~PostNRepl() = default;
SumToAddPattern::~SumToAddPattern() = default;
CoshOpPattern::~CoshOpPattern() = default;
SplitOpPattern::~SplitOpPattern() = default;
ViewSimplifyPattern::~ViewSimplifyPattern() = default;
ExpandCastPattern::~ExpandCastPattern() = default;
OpToIdentityPattern::~OpToIdentityPattern() = default;
NegativeOneScalePattern::~NegativeOneScalePattern() = default;
SequenceExpander::~SequenceExpander() = default;
Fuser::~Fuser() = default;

// ---- What gives its input ----

bool PreUniRepl::matches(Op* op) const {
  if (!givesItsInput(op) || !op->hasInput(0)) return false;
  const Tensor* in = op->inTensor(0);
  return in->hasProducer() && in->consumers.getTotal() == 1 && !isOutput(op, in);
}

std::vector<const Tensor*> PreUniRepl::touches(Op* op) const { return {op->inTensor(0)}; }

bool PreUniRepl::apply(Op* op) const {
  Tensor* in = op->inTensor(0);
  Op* producer = in->getProducer();
  const OutIndex index = producer->output->indices(in).front();
  const TensorId unread = in->id, out = op->outId(0);
  Graph& graph = op->getGraph();
  producer->disconnectOutTensor(in);
  op->disconnectAllInputs();
  op->disconnectAllOutputs();
  graph.eraseOp(op->id);
  graph.getTensors().remove(unread);
  producer->connectOutTensor(index, out);
  producer->setup();
  return true;
}

bool PostNRepl::matches(Op* op) const {
  if (dynamic_cast<const IdentityOp*>(op) == nullptr && !givesItsInput(op)) return false;
  for (const auto& out : op->output->tensorMap())
    if (isOutput(op, out.second)) return false;
  return op->hasInput(0);
}

std::vector<const Tensor*> PostNRepl::touches(Op* op) const {
  std::vector<const Tensor*> outs;
  for (const auto& out : op->output->tensorMap()) outs.push_back(out.second);
  return outs;
}

bool PostNRepl::apply(Op* op) const {
  const TensorId in = op->inId(0);
  Graph& graph = op->getGraph();
  std::vector<TensorId> unread;
  for (const auto& out : op->output->tensorMap()) {
    Tensor* tensor = out.second;
    for (Op* reader : tensor->consumers.getOps())
      for (const InIndex index : reader->input->indices(tensor)) {
        reader->disconnectInTensor(index);
        reader->connectInTensor(index, in);
      }
    unread.push_back(tensor->id);
  }
  op->disconnectAllInputs();
  op->disconnectAllOutputs();
  graph.eraseOp(op->id);
  for (const TensorId& id : unread) graph.getTensors().remove(id);
  return true;
}

bool OpToIdentityPattern::matches(Op* op) const {
  return dynamic_cast<const IdentityOp*>(op) == nullptr && op->input->n() == 1 &&
         op->output->n() == 1 && op->canBeReplacedByIdentity();
}

std::vector<std::unique_ptr<Op>> OpToIdentityPattern::sequence(Op* op) const {
  std::vector<std::unique_ptr<Op>> made;
  made.push_back(makeReplacementOp(Onnx::Operators::Identity_1, op));
  return made;
}

bool ViewSimplifyPattern::matches(Op* op) const {
  if (!isView(op) || !op->hasInput(0)) return false;
  const Tensor* in = op->inTensor(0);
  return in->hasProducer() && isView(in->getProducer());
}

std::vector<const Tensor*> ViewSimplifyPattern::touches(Op* op) const { return {op->inTensor(0)}; }

bool ViewSimplifyPattern::apply(Op* op) const {
  const Op* before = op->inTensor(0)->getProducer();
  const TensorId from = before->inId(0);
  const bool needsReshape = dynamic_cast<const IdentityOp*>(op) != nullptr &&
                            dynamic_cast<const ReshapeBaseOp*>(before) != nullptr;
  if (!needsReshape) {
    op->disconnectInTensor(0);
    op->connectInTensor(0, from);
    op->setup();
    return true;
  }
  const Shape shape = op->outShape(0);
  Replaced identity(op);
  identity.make<ReshapeOp>({{0, from}}, identity.out.at(0), Onnx::CustomOperators::Reshape_1,
                           shape);
  return true;
}

// ---- Others in their place ----

bool SumToAddPattern::matches(Op* op) const {
  return dynamic_cast<const SumOp*>(op) != nullptr && op->input->n() == 2;
}

bool SumToAddPattern::apply(Op* op) const {
  Replaced sum(op);
  sum.make<AddOp>({{AddOp::getArg0InIndex(), sum.in.begin()->second},
                   {AddOp::getArg1InIndex(), sum.in.rbegin()->second}},
                  sum.out.at(0), Onnx::Operators::Add_7);
  return true;
}

bool NegativeOneScalePattern::matches(Op* op) const {
  const auto* scale = dynamic_cast<const ScaleOp*>(op);
  return scale != nullptr && scale->getScaleFactor() == -1.0f;
}

std::vector<std::unique_ptr<Op>> NegativeOneScalePattern::sequence(Op* op) const {
  std::vector<std::unique_ptr<Op>> made;
  made.push_back(makeReplacementOp(Onnx::Operators::Neg_6, op));
  return made;
}

bool CoshOpPattern::matches(Op* op) const { return op->isConvertibleTo<CoshOp>(); }

bool CoshOpPattern::apply(Op* op) const {
  Replaced cosh(op);
  const TensorId x = cosh.in.at(0);
  const TensorId minus = cosh.make<NegateOp>({{0, x}}, "", Onnx::Operators::Neg_6)->outId(0);
  const TensorId up = cosh.make<ExpOp>({{0, x}}, "", Onnx::Operators::Exp_6)->outId(0);
  const TensorId down = cosh.make<ExpOp>({{0, minus}}, "", Onnx::Operators::Exp_6)->outId(0);
  const TensorId sum = cosh.make<AddOp>({{0, up}, {1, down}}, "", Onnx::Operators::Add_7)->outId(0);
  cosh.make<ScaleOp>({{0, sum}}, cosh.out.at(0), Onnx::AiGraphcore::OpSet1::Scale, 0.5f);
  return true;
}

bool SplitOpPattern::matches(Op* op) const { return op->isConvertibleTo<SplitOp>(); }

bool SplitOpPattern::apply(Op* op) const {
  const auto* split = dynamic_cast<const SplitOp*>(op);
  const std::vector<int64_t> sizes = split->getSplitSizes();
  const int64_t axis = split->getAxis();
  Replaced replaced(op);
  int64_t start = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const int64_t end = start + sizes[i];
    const auto out = replaced.out.find(static_cast<OutIndex>(i));
    if (out != replaced.out.end())
      replaced.make<SliceOp>({{SliceOp::getInIndex(), replaced.in.at(0)}}, out->second,
                             Onnx::Operators::Slice_1, std::vector<int64_t>{start},
                             std::vector<int64_t>{end}, std::vector<int64_t>{axis},
                             std::vector<int64_t>{1});
    start = end;
  }
  return true;
}

bool ExpandCastPattern::matches(Op* op) const {
  if (!op->isConvertibleTo<CastOp>()) return false;
  const Tensor* in = op->inTensor(CastOp::getInIndex());
  return in->hasProducer() && in->consumers.getTotal() == 1 && !isOutput(op, in) &&
         in->getProducer()->isConvertibleTo<ExpandOp>() &&
         in->getProducer()->getOptionalVGraphId() == op->getOptionalVGraphId();
}

std::vector<const Tensor*> ExpandCastPattern::touches(Op* op) const {
  return {op->inTensor(CastOp::getInIndex())};
}

bool ExpandCastPattern::apply(Op* op) const {
  Op* expand = op->inTensor(CastOp::getInIndex())->getProducer();
  const TensorId between = op->inId(CastOp::getInIndex());
  const DataType type = dynamic_cast<const CastOp*>(op)->toDataType();
  const OperatorIdentifier castId = op->opid, expandId = expand->opid;
  Graph& graph = op->getGraph();
  {
    Replaced cast(op), expanded(expand);
    const TensorId narrow =
        cast.make<CastOp>({{0, expanded.in.at(ExpandOp::getInTensorIndex())}}, "", castId, type)
            ->outId(0);
    Inputs inputs = expanded.in;
    inputs[ExpandOp::getInTensorIndex()] = narrow;
    expanded.make<ExpandOp>(inputs, cast.out.at(0), expandId);
  }
  graph.getTensors().remove(between);
  return true;
}

// ---- Bases ----

bool SequenceExpander::apply(Op* op) const {
  std::vector<std::unique_ptr<Op>> chain = sequence(op);
  if (chain.empty())
    throw error("The pattern '{}' has nothing to put in place of {}", getPatternName(),
                op->debugName());
  Graph& graph = op->getGraph();
  std::vector<Op*> made;
  for (std::unique_ptr<Op>& each : chain) {
    made.push_back(each.get());
    graph.moveIntoGraph(std::move(each));
  }
  graph.topoCons->transfer(op, made.back());
  Replaced replaced(op);
  for (const auto& in : replaced.in) made.front()->connectInTensor(in.first, in.second);
  for (std::size_t i = 0; i + 1 < made.size(); ++i) {
    const TensorId id = graph.getIr().createIntermediateTensorId(replaced.out.begin()->second);
    made[i]->createAndConnectOutTensor(0, id);
    made[i]->setup();
    made[i + 1]->connectInTensor(0, id);
  }
  for (const auto& out : replaced.out) made.back()->connectOutTensor(out.first, out.second);
  made.back()->setup();
  return true;
}

bool Fuser::matches(Op* op) const {
  if (op->opid != get0() || op->output->n() != 1) return false;
  const Tensor* out = op->outTensor(0);
  if (out->consumers.getTotal() != 1 || isOutput(op, out)) return false;
  const Op* reader = out->consumers.getOps().front();
  return reader->opid == get1() && reader->inId(0) == out->id;
}

std::vector<const Tensor*> Fuser::touches(Op* op) const { return {op->outTensor(0)}; }

bool Fuser::apply(Op* op) const {
  Op* reader = op->outTensor(0)->consumers.getOps().front();
  const TensorId between = op->outId(0);
  Graph& graph = op->getGraph();
  Op* made = graph.getOp(moveMergedIntoIr(op));
  {
    Replaced first(op), second(reader);
    for (const auto& in : first.in) made->connectInTensor(in.first, in.second);
    for (const auto& out : second.out) made->connectOutTensor(out.first, out.second);
  }
  graph.getTensors().remove(between);
  made->setup();
  return true;
}

}  // namespace popart
