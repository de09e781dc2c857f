// Connectionist temporal classification.
#include <popnn/CTCInference.hpp>
#include <popnn/CTCLoss.hpp>
#include <popnn/LogSoftmax.hpp>
#include <popops/Cast.hpp>
#include <poputil/exceptions.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/loss/ctc.hpp"
#include "poplar/bulk_vertex.hpp"

namespace popnn {
namespace {

using popir::Access;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

[[noreturn]] void refuseCtc(const char* who, const std::string& what) {
  throw poputil::poplibs_error(std::string("popnn::") + who + ": " + what);
}

bool isCount(const poplar::Type& type) {
  return type == poplar::INT || type == poplar::UNSIGNED_INT || type == poplar::UNSIGNED_SHORT ||
         type == poplar::SHORT;
}

void checkData(const char* who, const Tensor& data, unsigned blank) {
  if (data.rank() != 3 ||
      (data.elementType() != poplar::FLOAT && data.elementType() != poplar::HALF))
    refuseCtc(who, "the data are " + data.elementType().toString() + " " + data.shapeToString() +
                       "; give FLOAT or HALF [time, batch, classes]");
  if (blank >= data.dim(2))
    refuseCtc(who,
              "the blank class is " + std::to_string(blank) + " of " + std::to_string(data.dim(2)));
}

void checkLengths(const char* who, const Tensor& t, std::size_t batch) {
  if (t.rank() != 1 || t.dim(0) != batch || !isCount(t.elementType()))
    refuseCtc(who, "lengths are " + t.elementType().toString() + " " + t.shapeToString() +
                       "; give integers [" + std::to_string(batch) + "]");
}

void checkPlanOptions(const char* who, const poplar::OptionFlags& options) {
  for (const auto& each : options)
    if (each.first != "partialsType" && each.first != "availableMemoryProportion")
      throw poplar::invalid_option(std::string(who) + ": there is no option " + each.first +
                                   "; the options are partialsType and availableMemoryProportion");
}

Tensor ints(Graph& graph, const Tensor& t, Sequence& prog, const DebugContext& context) {
  return t.elementType() == poplar::INT ? t : popops::cast(graph, t, poplar::INT, prog, context);
}

Tensor inType(Graph& graph, const Tensor& t, const poplar::Type& type, Sequence& prog,
              const DebugContext& context) {
  return t.elementType() == type ? t : popops::cast(graph, t, type, prog, context);
}

Tensor madeLinear(Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape,
                  const DebugContext& context) {
  return graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, context);
}

popir::CtcLossSpec lossOptions(const char* who, const poplar::OptionFlags& options) {
  popir::CtcLossSpec made;
  poplar::OptionFlags rest;
  for (const auto& each : options) {
    const bool known = each.first == "includeSoftmaxGradient" || each.first == "zeroInfinity";
    if (!known) {
      rest.set(each.first, each.second);
    } else if (each.second != "true" && each.second != "false") {
      throw poplar::invalid_option(std::string(who) + ": " + each.first +
                                   " is true or false, not '" + each.second + "'");
    } else {
      (each.first == "zeroInfinity" ? made.zeroInfinity : made.ofLogits) = each.second == "true";
    }
  }
  checkPlanOptions(who, rest);
  return made;
}

std::pair<Tensor, Tensor> lossAndGradient(const char* who, Graph& graph,
                                          const poplar::Type& outType, const Tensor& logProbs,
                                          const Tensor& labels, const Tensor& dataLengths,
                                          const Tensor& labelLengths, Sequence& prog,
                                          unsigned blank, bool wantsGradient,
                                          const poplar::OptionFlags& flags,
                                          const DebugContext& context) {
  checkData(who, logProbs, blank);
  const std::size_t batch = logProbs.dim(1);
  checkLengths(who, dataLengths, batch);
  checkLengths(who, labelLengths, batch);
  if (labels.rank() != 2 || labels.dim(0) != batch || !isCount(labels.elementType()))
    refuseCtc(who, "labels are " + labels.elementType().toString() + " " + labels.shapeToString() +
                       "; give integers [" + std::to_string(batch) + ", most labels]");
  popir::CtcLossSpec spec = lossOptions(who, flags);
  spec.blank = blank;
  spec.writesGradient = wantsGradient;
  const Tensor loss = madeLinear(graph, poplar::FLOAT, {batch}, {context, "loss"});
  std::vector<popir::BulkOperand> operands = {
      {inType(graph, logProbs, poplar::FLOAT, prog, context), Access::Read},
      {ints(graph, labels, prog, context), Access::Read},
      {ints(graph, dataLengths, prog, context), Access::Read},
      {ints(graph, labelLengths, prog, context), Access::Read},
      {loss, Access::Write}};
  Tensor gradient;
  if (wantsGradient) {
    gradient = madeLinear(graph, poplar::FLOAT, logProbs.shape(), {context, "gradient"});
    operands.push_back({gradient, Access::Write});
  }
  popir::addBulkVertex(graph, prog, std::make_shared<popir::CtcLossKernel>(spec),
                       std::move(operands), context);
  if (wantsGradient) gradient = inType(graph, gradient, outType, prog, context);
  return {inType(graph, loss, outType, prog, context), gradient};
}

}  // namespace

namespace ctc {

Plan plan(const Graph&, const poplar::Type&, const poplar::Type&, unsigned, unsigned, unsigned,
          unsigned, const poplar::OptionFlags& options) {
  checkPlanOptions("popnn::ctc::plan", options);
  return {};
}

Tensor createDataInput(Graph& graph, const poplar::Type& type, const std::size_t batchSize,
                       const std::size_t maxTime, const std::size_t numClasses, const Plan&,
                       const DebugContext& debugContext) {
  return madeLinear(graph, type, {maxTime, batchSize, numClasses}, debugContext);
}

Tensor createLabelsInput(Graph& graph, const poplar::Type& type, const std::size_t batchSize,
                         const std::size_t maxLabelLength, const Plan&,
                         const DebugContext& debugContext) {
  return madeLinear(graph, type, {batchSize, maxLabelLength}, debugContext);
}

std::pair<Tensor, Tensor> calcLossAndGradientLogProbabilities(
    Graph& graph, const poplar::Type& outType, const Tensor& logProbs, const Tensor& labels,
    const Tensor& dataLengths, const Tensor& labelLengths, Sequence& prog,
    const unsigned blankClass, const Plan&, const DebugContext& debugContext,
    const poplar::OptionFlags& options) {
  return lossAndGradient("ctc::calcLossAndGradientLogProbabilities", graph, outType, logProbs,
                         labels, dataLengths, labelLengths, prog, blankClass, true, options,
                         {debugContext, "ctcLoss"});
}

std::pair<Tensor, Tensor> calcLossAndGradientLogits(Graph& graph, const poplar::Type& outType,
                                                    const Tensor& logits, const Tensor& labels,
                                                    const Tensor& dataLengths,
                                                    const Tensor& labelLengths, Sequence& prog,
                                                    const unsigned blankClass, const Plan&,
                                                    const DebugContext& debugContext,
                                                    const poplar::OptionFlags& options) {
  checkData("ctc::calcLossAndGradientLogits", logits, blankClass);
  const DebugContext context(debugContext, "ctcLoss");
  return lossAndGradient("ctc::calcLossAndGradientLogits", graph, outType,
                         logSoftmax(graph, logits, prog, context), labels, dataLengths,
                         labelLengths, prog, blankClass, true, options, context);
}

Tensor calcCTCLossLogProbabilities(Graph& graph, const poplar::Type& outType,
                                   const Tensor& logProbs, const Tensor& labels,
                                   const Tensor& dataLengths, const Tensor& labelLengths,
                                   Sequence& prog, const unsigned blankClass, const Plan&,
                                   const DebugContext& debugContext,
                                   const poplar::OptionFlags& options) {
  return lossAndGradient("ctc::calcCTCLossLogProbabilities", graph, outType, logProbs, labels,
                         dataLengths, labelLengths, prog, blankClass, false, options,
                         {debugContext, "ctcLoss"})
      .first;
}

Tensor calcCTCLossLogits(Graph& graph, const poplar::Type& outType, const Tensor& logits,
                         const Tensor& labels, const Tensor& dataLengths,
                         const Tensor& labelLengths, Sequence& prog, const unsigned blankClass,
                         const Plan&, const DebugContext& debugContext,
                         const poplar::OptionFlags& options) {
  checkData("ctc::calcCTCLossLogits", logits, blankClass);
  const DebugContext context(debugContext, "ctcLoss");
  return lossAndGradient("ctc::calcCTCLossLogits", graph, outType,
                         logSoftmax(graph, logits, prog, context), labels, dataLengths,
                         labelLengths, prog, blankClass, false, options, context)
      .first;
}

}  // namespace ctc

namespace ctc_infer {

ctc::Plan plan(const Graph&, const poplar::Type&, unsigned, unsigned, unsigned, unsigned,
               const poplar::OptionFlags& options) {
  checkPlanOptions("popnn::ctc_infer::plan", options);
  return {};
}

Tensor createDataInput(Graph& graph, const poplar::Type& type, const std::size_t batchSize,
                       const std::size_t maxTime, const std::size_t numClasses, const ctc::Plan&,
                       const DebugContext& debugContext) {
  return madeLinear(graph, type, {maxTime, batchSize, numClasses}, debugContext);
}

std::tuple<Tensor, Tensor, Tensor> beamSearchDecoderLogProbabilities(
    Graph& graph, const Tensor& logProbs, const Tensor& dataLengths, Sequence& prog,
    unsigned blankClass, unsigned beamwidth, unsigned topPaths, const ctc::Plan&,
    const DebugContext& debugContext, const poplar::OptionFlags& options) {
  const char* who = "ctc_infer::beamSearchDecoderLogProbabilities";
  const DebugContext context(debugContext, "ctcBeamSearch");
  checkPlanOptions(who, options);
  checkData(who, logProbs, blankClass);
  const std::size_t time = logProbs.dim(0), batch = logProbs.dim(1);
  checkLengths(who, dataLengths, batch);
  if (beamwidth == 0 || topPaths > beamwidth)
    refuseCtc(who, std::to_string(topPaths) + " paths of a search with " +
                       std::to_string(beamwidth) + " prefixes");
  const Tensor probs =
      madeLinear(graph, poplar::FLOAT, {batch, topPaths}, {context, "probabilities"});
  const Tensor lengths =
      madeLinear(graph, poplar::UNSIGNED_INT, {batch, topPaths}, {context, "lengths"});
  const Tensor labels =
      madeLinear(graph, poplar::UNSIGNED_INT, {batch, topPaths, time}, {context, "labels"});
  popir::addBulkVertex(graph, prog, std::make_shared<popir::CtcSearchKernel>(blankClass, beamwidth),
                       {{inType(graph, logProbs, poplar::FLOAT, prog, context), Access::Read},
                        {ints(graph, dataLengths, prog, context), Access::Read},
                        {probs, Access::Write},
                        {lengths, Access::Write},
                        {labels, Access::Write}},
                       context);
  return std::make_tuple(inType(graph, probs, logProbs.elementType(), prog, context), lengths,
                         labels);
}

std::tuple<Tensor, Tensor, Tensor> beamSearchDecoderLogits(
    Graph& graph, const Tensor& logits, const Tensor& dataLengths, Sequence& prog,
    unsigned blankClass, unsigned beamwidth, unsigned topPaths, const ctc::Plan& plan,
    const DebugContext& debugContext, const poplar::OptionFlags& options) {
  checkData("ctc_infer::beamSearchDecoderLogits", logits, blankClass);
  return beamSearchDecoderLogProbabilities(graph, logSoftmax(graph, logits, prog, debugContext),
                                           dataLengths, prog, blankClass, beamwidth, topPaths, plan,
                                           debugContext, options);
}

}  // namespace ctc_infer
}  // namespace popnn
