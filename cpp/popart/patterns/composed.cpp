// What operators consist of that the compiler does not have, and PopART's patterns of that kind.
#include "popart/patterns/composed.hpp"

#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op/addbias.hpp>
#include <popart/op/binaryconstscalar.hpp>
#include <popart/op/conv.hpp>
#include <popart/op/ipucopy.hpp>
#include <popart/op/padgrad.hpp>
#include <popart/op/resize.hpp>
#include <popart/op/square.hpp>
#include <popart/op/transpose.hpp>
#include <popart/op/upsample.hpp>
#include <popart/op/zeros.hpp>
#include <popart/operators.hpp>
#include <popart/patterns/contiguateipucopyindices.hpp>
#include <popart/patterns/convflipweightsdoubleflippattern.hpp>
#include <popart/patterns/convflipweightsgradoppattern.hpp>
#include <popart/patterns/decomposebinaryconstscalar.hpp>
#include <popart/patterns/likeopspattern.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/patterns/transposetoidentityorreshape.hpp>
#include <popart/patterns/upsampletoresizepattern.hpp>
#include <popart/tensor.hpp>
#include <popart/tensors.hpp>

#include <cstdlib>
#include <vector>

#include "popart/patterns/formula.hpp"
#include "popart/patterns/gradients.hpp"

namespace popart {
namespace {

namespace O = Onnx::Operators;

const AddPatternName<DecomposeBinaryConstScalar> scalarName("DecomposeBinaryConstScalar");
const AddPatternName<TransposeToIdentityOrReshapePattern> transposeName(
    "TransposeToIdentityOrReshapePattern");
const AddPatternName<UpsampleToResizePattern> upsampleName("UpsampleToResize");
const AddPatternName<ConvFlipWeightsDoubleFlipPattern> doubleFlipName("ConvFlipWeightsDoubleFlip");
const AddPatternName<ConvFlipWeightsGradOpPattern> flipName("ConvFlipWeightsGradOp");
const AddPatternName<ContiguateIpuCopyIndicesPattern> copyName("ContiguateIpuCopyIndices");
const AddPatternName<LikeOpsPattern<ZerosLikeOp>> zerosName("ZerosLikeOpPattern");

/// An operator without its inputs and outputs, and these; `end` removes it.
struct Taken {
  explicit Taken(Op* each)
      : op(each), in(each->input->tensorIdMap()), out(each->outId(0)), shape(each->outShape(0)) {
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
  }
  /// Makes `last` the output, summed over `axes`.
  bool end(const TensorId& last, const std::vector<int64_t>& axes = {}) const {
    finish(op, last, axes, shape, out);
    op->getGraph().eraseOp(op->id);
    return true;
  }
  /// Puts an operator of that input, and the output, in its place.
  template <class OP, class... Args>
  bool become(const TensorId& from, Args&&... args) const {
    Graph& graph = op->getGraph();
    OP* made = graph.createOp<OP>(std::forward<Args>(args)...);
    op->transferBaseProperties(made);
    made->connectInTensor(0, from);
    made->connectOutTensor(0, out);
    made->setup();
    graph.eraseOp(op->id);
    return true;
  }
  Op* op;
  const std::map<InIndex, TensorId> in;
  const TensorId out;
  const Shape shape;
};

Op::Settings settingsOf(const Op* op) {
  return Op::Settings(const_cast<Graph&>(op->getGraph()), op->name());
}

/// Whether a permutation moves no dimension that has elements.
bool movesNothing(const TransposeBaseOp& op) {
  const Shape& shape = op.inShape(TransposeBaseOp::getInIndex());
  int64_t last = -1;
  for (const int64_t d : op.getPerm()) {
    if (shape[static_cast<std::size_t>(d)] == 1) continue;
    if (d < last) return false;
    last = d;
  }
  return true;
}

}  // namespace

DecomposeBinaryConstScalar::~DecomposeBinaryConstScalar() = default;
TransposeToIdentityOrReshapePattern::~TransposeToIdentityOrReshapePattern() = default;
UpsampleToResizePattern::~UpsampleToResizePattern() = default;
ConvFlipWeightsDoubleFlipPattern::~ConvFlipWeightsDoubleFlipPattern() = default;
ConvFlipWeightsGradOpPattern::~ConvFlipWeightsGradOpPattern() = default;
ContiguateIpuCopyIndicesPattern::~ContiguateIpuCopyIndicesPattern() = default;

std::vector<const Tensor*> DecomposeBinaryConstScalar::touches(Op*) const { return {}; }
std::vector<const Tensor*> TransposeToIdentityOrReshapePattern::touches(Op*) const { return {}; }
std::vector<const Tensor*> UpsampleToResizePattern::touches(Op*) const { return {}; }
std::vector<const Tensor*> ConvFlipWeightsGradOpPattern::touches(Op*) const { return {}; }
std::vector<const Tensor*> ContiguateIpuCopyIndicesPattern::touches(Op*) const { return {}; }

bool DecomposeBinaryConstScalar::matches(Op* op) const {
  return op->isConvertibleTo<BinaryConstScalarOp>();
}

bool DecomposeBinaryConstScalar::apply(Op* op) const {
  using Type = BinaryConstScalarOp::Type;
  const auto* scalar = dynamic_cast<const BinaryConstScalarOp*>(op);
  static const std::map<Type, const OperatorIdentifier*> operations = {{Type::Add, &O::Add_7},
                                                                       {Type::Sub, &O::Sub_7},
                                                                       {Type::Mul, &O::Mul_7},
                                                                       {Type::Div, &O::Div_7},
                                                                       {Type::Pow, &O::Pow_7}};
  const DataType type = op->inInfo(0).dataType();
  const Taken taken(op);
  const Formula add(*this, op, taken.out);
  const TensorId x = taken.in.at(0), number = add.number(scalar->value(), type);
  return taken.end(add(*operations.at(scalar->opType()), scalar->scalarInIndex() == 0
                                                             ? std::vector<TensorId>{number, x}
                                                             : std::vector<TensorId>{x, number}));
}

bool TransposeToIdentityOrReshapePattern::matches(Op* op) const {
  const auto* transpose = dynamic_cast<const TransposeOp*>(op);
  return transpose != nullptr && movesNothing(*transpose);
}

bool TransposeToIdentityOrReshapePattern::apply(Op* op) const {
  const bool stays = op->inShape(0) == op->outShape(0);
  const Taken taken(op);
  if (stays) return taken.end(taken.in.at(0));
  return taken.become<ReshapeOp>(taken.in.at(0), Onnx::CustomOperators::Reshape_1, taken.shape,
                                 settingsOf(op));
}

bool UpsampleToResizePattern::matches(Op* op) const { return op->isConvertibleTo<UpsampleOp>(); }

bool UpsampleToResizePattern::apply(Op* op) const {
  const auto* upsample = dynamic_cast<const UpsampleOp*>(op);
  const std::vector<float> scales = upsample->getScales();
  const ResizeMode mode =
      upsample->getMode() == UpsampleMode::Nearest ? ResizeMode::Nearest : ResizeMode::Linear;
  const Taken taken(op);
  return taken.become<ResizeOp>(taken.in.at(0), O::Resize_10, settingsOf(op), mode, scales);
}

// ---- Flipped weights ----

bool ConvFlipWeightsDoubleFlipPattern::matches(Op* op) const {
  const auto* flip = dynamic_cast<const ConvFlipWeightsOp*>(op);
  if (flip == nullptr || !op->inTensor(0)->hasProducer()) return false;
  const auto* first = dynamic_cast<const ConvFlipWeightsOp*>(op->inTensor(0)->getProducer());
  return first != nullptr && first->getGroups() == flip->getGroups() &&
         !op->getGraph().hasOutputId(op->outId(0));
}

std::vector<const Tensor*> ConvFlipWeightsDoubleFlipPattern::touches(Op* op) const {
  return {op->outTensor(0)};
}

bool ConvFlipWeightsDoubleFlipPattern::apply(Op* op) const {
  const TensorId weights = op->inTensor(0)->getProducer()->inId(0);
  Graph& graph = op->getGraph();
  const TensorId out = op->outId(0);
  graph.replaceTensor(out, weights);
  op->disconnectAllInputs();
  op->disconnectAllOutputs();
  graph.eraseOp(op->id);
  graph.getTensors().remove(out);
  return true;
}

bool ConvFlipWeightsGradOpPattern::matches(Op* op) const {
  return op->isConvertibleTo<ConvFlipWeightsGradOp>();
}

bool ConvFlipWeightsGradOpPattern::apply(Op* op) const {
  const auto* gradient = dynamic_cast<const ConvFlipWeightsGradOp*>(op);
  const TensorId in = op->inId(0), out = op->outId(0);
  Graph& graph = op->getGraph();
  auto* flip =
      graph.createOp<ConvFlipWeightsOp>(Onnx::CustomOperators::ConvFlipWeights, settingsOf(op));
  op->transferBaseProperties(flip);
  flip->setParameters(gradient->getParameters());
  flip->setGroupReshape(gradient->getGroupReshape());
  flip->setConvOptions(gradient->getMultiConvOptions());
  op->disconnectAllInputs();
  op->disconnectAllOutputs();
  graph.eraseOp(op->id);
  flip->connectInTensor(0, in);
  flip->connectOutTensor(0, out);
  flip->setup();
  return true;
}

// ---- Copies between IPUs ----

bool ContiguateIpuCopyIndicesPattern::matches(Op* op) const {
  const auto* copy = dynamic_cast<const IpuCopyOp*>(op);
  if (copy == nullptr || copy->input->n() == 0 ||
      copy->getMinSourceIpu() != copy->getMaxSourceIpu())
    return false;
  return std::abs(copy->getDestIpu() - copy->getSourceIpu()) > 1;
}

bool ContiguateIpuCopyIndicesPattern::apply(Op* op) const {
  const auto* copy = dynamic_cast<const IpuCopyOp*>(op);
  const VGraphId to = copy->getDestIpu(), step = to > copy->getSourceIpu() ? 1 : -1;
  VGraphId at = copy->getSourceIpu();
  std::map<InIndex, TensorId> tensors = op->input->tensorIdMap();
  const std::map<OutIndex, TensorId> outs = op->output->tensorIdMap();
  Graph& graph = op->getGraph();
  op->disconnectAllInputs();
  op->disconnectAllOutputs();
  while (at != to) {
    auto* made =
        graph.createOp<IpuCopyOp>(Onnx::CustomOperators::IpuCopy, at + step, settingsOf(op));
    op->transferBaseProperties(made);
    made->setVirtualGraphId({});
    for (auto& each : tensors) {
      made->connectInTensor(each.first, each.second, at);
      const TensorId& last = outs.at(each.first);
      if (at + step == to)
        made->connectOutTensor(each.first, last);
      else
        made->createAndConnectOutTensor(each.first, graph.getIr().createIntermediateTensorId(last));
      each.second = made->outId(each.first);
    }
    made->setup();
    at += step;
  }
  graph.eraseOp(op->id);
  return true;
}

}  // namespace popart

namespace popir {
namespace {

using namespace popart;

bool square(Op* op) {
  if (!op->isConvertibleTo<SquareOp>()) return false;
  const DecomposeBinaryConstScalar pattern;
  const Taken taken(op);
  const TensorId x = taken.in.at(0);
  return taken.end(Formula(pattern, op, taken.out)(O::Mul_7, {x, x}));
}

bool zeros(Op* op) {
  if (dynamic_cast<const ZerosBaseOp*>(op) == nullptr) return false;
  const TensorInfo info = op->outInfo(0);
  const std::vector<char> bytes(static_cast<std::size_t>(info.nbytes()), 0);
  const Taken taken(op);
  const TensorId made = op->getIr().createIntermediateTensorId(taken.out);
  op->getGraph().addConstInit(made, info, bytes.data());
  return taken.end(made);
}

bool addBias(Op* op) {
  if (!op->isConvertibleTo<AddBiasOp>()) return false;
  Shape shape(op->inShape(AddBiasOp::getDataInIndex()).size(), 1);
  shape[1] = op->inShape(AddBiasOp::getBiasInIndex())[0];
  const DecomposeBinaryConstScalar pattern;
  const Taken taken(op);
  Graph& graph = op->getGraph();
  Op* reshape = graph.createOp<ReshapeOp>(Onnx::CustomOperators::Reshape_1, shape, settingsOf(op));
  op->transferBaseProperties(reshape);
  reshape->connectInTensor(0, taken.in.at(AddBiasOp::getBiasInIndex()));
  reshape->createAndConnectOutTensor(0, graph.getIr().createIntermediateTensorId(taken.out));
  reshape->setup();
  return taken.end(Formula(pattern, op, taken.out)(
      O::Add_7, {taken.in.at(AddBiasOp::getDataInIndex()), reshape->outId(0)}));
}

bool addBiasGradient(Op* op) {
  if (op->isConvertibleTo<AddBiasDataGradOp>()) {
    const Taken taken(op);
    return taken.end(taken.in.at(0));
  }
  if (!op->isConvertibleTo<AddBiasBiasGradOp>()) return false;
  const std::vector<int64_t> axes = dynamic_cast<const AddBiasBiasGradOp*>(op)->getAxes();
  const Taken taken(op);
  return taken.end(taken.in.at(0), axes);
}

bool padGradient(Op* op) {
  const auto* gradient = dynamic_cast<const PadGradOp*>(op);
  if (gradient == nullptr) return false;
  const std::vector<int64_t> starts = gradient->getStarts(), ends = gradient->getEnds(),
                             axes = gradient->getAxes();
  const Taken taken(op);
  return taken.become<SliceOp>(taken.in.at(0), O::Slice_1, starts, ends, axes, settingsOf(op));
}

bool scalar(Op* op) {
  const DecomposeBinaryConstScalar pattern;
  return pattern.matches(op) && pattern.apply(op);
}

}  // namespace

bool takeApart(Op* op) {
  return takeGradientApart(op) || square(op) || zeros(op) || scalar(op) || addBias(op) ||
         addBiasGradient(op) || padGradient(op);
}

}  // namespace popir
