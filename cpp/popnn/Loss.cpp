#include "kernels/loss/class_loss.hpp"
#include "kernels/reduction/arg_extremum.hpp"

#include <popir/ArgExtremum.hpp>
#include <popnn/Loss.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/TopK.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include "poplar/bulk_vertex.hpp"

namespace popnn {
namespace {

using popir::Access;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Program;
using poplar::program::Sequence;

std::string described(const Tensor& t) {
  return t.elementType().toString() + " " + t.shapeToString();
}

[[noreturn]] void refuse(const char* who, const std::string& why) {
  throw poputil::poplibs_error(std::string("popnn::") + who + ": " + why);
}

popir::ClassLoss kindOf(LossType type) {
  return type == SUM_SQUARED_LOSS ? popir::ClassLoss::SumSquared : popir::ClassLoss::CrossEntropy;
}

bool isLabel(const poplar::Type& type) {
  return type == poplar::INT || type == poplar::UNSIGNED_INT;
}

void checkOutputs(const char* who, const Tensor& outputs, const Tensor& expected) {
  const auto type = outputs.elementType();
  if (outputs.rank() != 2 || (type != poplar::FLOAT && type != poplar::HALF))
    refuse(who, "modelOutputs is " + described(outputs) + "; give FLOAT or HALF [batch, classes]");
  if (expected.rank() != 1 || expected.dim(0) != outputs.dim(0) || !isLabel(expected.elementType()))
    refuse(who, "expected is " + described(expected) + " where modelOutputs is " +
                    described(outputs) + "; give INT or UNSIGNED_INT [batch]");
}

void checkLike(const char* what, const Tensor& t, const Tensor& outputs,
               const std::vector<std::size_t>& shape) {
  if (t.shape() != shape || t.elementType() != outputs.elementType())
    refuse("calcLoss", std::string(what) + " is " + described(t) + " where modelOutputs is " +
                           described(outputs) + "; give it the same type and the matching shape");
}

/// Computes loss and deltas. The scales are either both given or both null.
Sequence lossProgram(Graph& graph, const Tensor& outputs, const Tensor& expected,
                     const Tensor& loss, const Tensor& deltas, const Tensor* deltasScale,
                     const Tensor* outputsScale, LossType type, const DebugContext& debugContext) {
  checkOutputs("calcLoss", outputs, expected);
  checkLike("loss", loss, outputs, {outputs.dim(0)});
  checkLike("deltas", deltas, outputs, outputs.shape());
  std::vector<popir::BulkOperand> operands = {{outputs, Access::Read},
                                              {expected, Access::Read},
                                              {loss, Access::Write},
                                              {deltas, Access::Write}};
  if (deltasScale) {
    if (type != CROSS_ENTROPY_LOSS)
      refuse("calcLoss", "deltasScale and modelOutputScaling go with CROSS_ENTROPY_LOSS alone");
    for (const Tensor* scale : {deltasScale, outputsScale}) {
      checkLike("a scale", scale->flatten(), outputs, {1});
      operands.push_back({scale->flatten(), Access::Read});
    }
  }
  Sequence prog;
  popir::addBulkVertex(
      graph, prog, std::make_shared<popir::ClassLossKernel>(kindOf(type), deltasScale != nullptr),
      std::move(operands), {debugContext, "Loss"});
  return prog;
}

std::pair<Tensor, Tensor> extremum(const char* who, bool max, bool values, Graph& graph,
                                   const Tensor& input, Sequence& prog,
                                   const DebugContext& debugContext, bool last = false) {
  if (input.rank() != 2 || !popir::ArgExtremumKernel::supports(input.elementType()))
    refuse(who, "the input is " + described(input) +
                    "; give integers or floating-point numbers, [rows, columns]");
  if (input.dim(0) > 0 && input.dim(1) == 0)
    refuse(who, "the input is " + described(input) + ": rows without an element have no extremum");
  const std::size_t rows = input.dim(0);
  const Tensor index = graph.addVariable(poplar::UNSIGNED_INT, {rows}, {debugContext, "index"});
  poputil::mapTensorLinearly(graph, index);
  std::vector<popir::BulkOperand> operands = {{input, Access::Read}, {index, Access::Write}};
  Tensor value;
  if (values) {
    value = graph.addVariable(input.elementType(), {rows}, {debugContext, "value"});
    poputil::mapTensorLinearly(graph, value);
    operands.push_back({value, Access::Write});
  }
  popir::addBulkVertex(graph, prog, std::make_shared<popir::ArgExtremumKernel>(max, values, last),
                       std::move(operands), {debugContext, who});
  return {value, index};
}

}  // namespace

Program calcLoss(Graph& graph, const Tensor& modelOutputs, const Tensor& expected,
                 const Tensor& loss, const Tensor& deltas, const Tensor& deltasScale,
                 const Tensor& modelOutputScaling, LossType lossType,
                 const DebugContext& debugContext) {
  return lossProgram(graph, modelOutputs, expected, loss, deltas, &deltasScale, &modelOutputScaling,
                     lossType, debugContext);
}

Program calcLoss(Graph& graph, const Tensor& modelOutputs, const Tensor& expected,
                 const Tensor& loss, const Tensor& deltas, LossType lossType,
                 const DebugContext& debugContext) {
  return lossProgram(graph, modelOutputs, expected, loss, deltas, nullptr, nullptr, lossType,
                     debugContext);
}

Program calcLoss(Graph& graph, const Tensor& modelOutputs, const Tensor& expected,
                 const Tensor& loss, const Tensor& deltas, const Tensor& deltasScale,
                 const Tensor& modelOutputScaling, const Tensor& numCorrect, LossType lossType,
                 const DebugContext& debugContext) {
  Sequence prog = lossProgram(graph, modelOutputs, expected, loss, deltas, &deltasScale,
                              &modelOutputScaling, lossType, debugContext);
  prog.add(calcAccuracy(graph, modelOutputs, expected, numCorrect, debugContext));
  return std::move(prog);
}

Program calcLoss(Graph& graph, const Tensor& modelOutputs, const Tensor& expected,
                 const Tensor& loss, const Tensor& deltas, const Tensor& numCorrect,
                 LossType lossType, const DebugContext& debugContext) {
  Sequence prog = lossProgram(graph, modelOutputs, expected, loss, deltas, nullptr, nullptr,
                              lossType, debugContext);
  prog.add(calcAccuracy(graph, modelOutputs, expected, numCorrect, debugContext));
  return std::move(prog);
}

Program calcAccuracy(Graph& graph, const Tensor& modelOutputs, const Tensor& expected,
                     const Tensor& numCorrect, const DebugContext& debugContext) {
  checkOutputs("calcAccuracy", modelOutputs, expected);
  if (numCorrect.numElements() != 1 || !isLabel(numCorrect.elementType()))
    refuse("calcAccuracy",
           "numCorrect is " + described(numCorrect) + "; give one element, INT or UNSIGNED_INT");
  // A masked label is not a column index, so it never matches.
  Sequence prog;
  const Tensor guess = argMax(graph, modelOutputs, prog, debugContext);
  const Tensor right = popops::eq(graph, guess, expected.reinterpret(poplar::UNSIGNED_INT), prog,
                                  {debugContext, "right"});
  const Tensor counts =
      popops::cast(graph, right, numCorrect.elementType(), prog, {debugContext, "count"});
  popops::reduceWithOutput(graph, counts, numCorrect.reshape({}), {0},
                           popops::ReduceParams(popops::Operation::ADD, true), prog,
                           {debugContext, "numCorrect"});
  return std::move(prog);
}

Tensor argMax(Graph& graph, const Tensor& input, Sequence& prog, const DebugContext& debugContext) {
  return extremum("argMax", true, false, graph, input, prog, debugContext).second;
}

Tensor argMin(Graph& graph, const Tensor& input, Sequence& prog, const DebugContext& debugContext) {
  return extremum("argMin", false, false, graph, input, prog, debugContext).second;
}

std::pair<Tensor, Tensor> maxAndArgMax(Graph& graph, const Tensor& input, Sequence& prog,
                                       const DebugContext& debugContext) {
  return extremum("maxAndArgMax", true, true, graph, input, prog, debugContext);
}

std::pair<Tensor, Tensor> minAndArgMin(Graph& graph, const Tensor& input, Sequence& prog,
                                       const DebugContext& debugContext) {
  return extremum("minAndArgMin", false, true, graph, input, prog, debugContext);
}

poplar::Tensor topK(poplar::Graph& graph, const poplar::Tensor& input, poplar::Tensor& indices,
                    unsigned K, bool, poplar::program::Sequence& prog,
                    const poplar::DebugContext& debugContext) {
  const popops::TopKParams params(K, true, popops::SortOrder::DESCENDING);
  auto [values, places] = popops::topKWithPermutation(graph, prog, input, params, debugContext);
  indices = places.expand({1});
  return values.expand({1});
}

}  // namespace popnn

namespace popir {

poplar::Tensor argExtremum(poplar::Graph& graph, const poplar::Tensor& input, bool max, bool last,
                           poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext) {
  if (input.rank() == 3 && input.dim(1) > 0 && ArgExtremumKernel::supports(input.elementType())) {
    const poplar::Tensor index = graph.addVariable(
        poplar::UNSIGNED_INT, {input.dim(0), input.dim(2)}, {debugContext, "index"});
    poputil::mapTensorLinearly(graph, index);
    addBulkVertex(graph, prog, std::make_shared<ArgExtremumKernel>(max, false, last),
                  {{input, Access::Read}, {index, Access::Write}},
                  {debugContext, max ? "argMax" : "argMin"});
    return index;
  }
  return popnn::extremum(max ? "argMax" : "argMin", max, false, graph, input, prog, debugContext,
                         last)
      .second;
}

}  // namespace popir
