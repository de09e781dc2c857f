#include "popnn/cells.hpp"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

#include "poplar/library_options.hpp"

namespace popir {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;
using popnn::rnn::RnnBatchwiseFlags;
using popnn::rnn::RnnParams;
namespace pe = popops::expr;

namespace {

std::string listed(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t n : shape) text += (text.empty() ? "{" : ", ") + std::to_string(n);
  return text.empty() ? "{}" : text + "}";
}

}  // namespace

RecurrentOptions recurrentOptions(const char* who, const RnnParams& params,
                                  const poplar::OptionFlags& options) {
  checkLibraryOptions(who, Library::Recurrent, options);
  RecurrentOptions made;
  made.accumulators = params.dataType;
  for (const auto& [name, value] : options) {
    if (name == "partialsType" || name == "availableMemoryProportion")
      made.products.set(name, value);
    if (name == "preCalcWeights") made.inputsFirst = value == "true";
    if (name == "weightAccumulatorsType")
      made.accumulators = value == "half" ? poplar::HALF : poplar::FLOAT;
  }
  return made;
}

void checkRecurrent(const char* who, const RnnParams& params) {
  const auto steps = params.variableTimeSteps() ? params.varTimeSteps.numElements() : 1;
  if (params.layerSizes.size() == 2 && params.maxTimeSteps > 0 &&
      (steps == 1 || steps == params.batchSize))
    return;
  throw poputil::poplibs_error(
      std::string("popnn::") + who + ": " + std::to_string(params.layerSizes.size()) + " sizes, " +
      std::to_string(params.maxTimeSteps) + " steps and " + std::to_string(steps) +
      " numbers of steps for " + std::to_string(params.batchSize) +
      " samples; give the sizes of input and output, one step at least, and one number of steps "
      "for all samples or one each");
}

void checkOperand(const char* who, const char* what, const Tensor& t, const RnnParams& params,
                  const std::vector<std::size_t>& shape) {
  if (t.valid() && t.shape() == shape && t.elementType() == params.dataType) return;
  throw poputil::poplibs_error(
      std::string("popnn::") + who + ": " + what + " is " +
      (t.valid() ? t.elementType().toString() + " " + t.shapeToString() : "no tensor") +
      "; the parameters ask for " + params.dataType.toString() + " " + listed(shape));
}

std::string unitCount(std::size_t given, std::size_t units) {
  return "cellOrder has " + std::to_string(given) + " units; give each of the " +
         std::to_string(units) + " units of the cell once";
}

Tensor flatUnits(const Tensor& t) {
  return t.dimShuffle({1, 0, 2}).reshape({t.dim(1), t.dim(0) * t.dim(2)});
}
Tensor unitsOf(const Tensor& t, std::size_t units) {
  return t.reshape({t.dim(0), units, t.dim(1) / units}).dimShuffle({1, 0, 2});
}

Tensor createUnits(Graph& graph, const RnnParams& params, std::size_t units, std::size_t rows,
                   const DebugContext& context, const RecurrentOptions& options,
                   poplin::PlanningCache* cache) {
  return unitsOf(poplin::createMatMulInputRHS(graph, params.dataType, {params.batchSize, rows},
                                              {rows, units * params.layerSizes[1]}, context,
                                              options.products, cache),
                 units);
}

Tensor ofEachSample(const Tensor& biases, std::size_t batch) {
  return biases.expand({1}).broadcast(static_cast<unsigned>(batch), 1);
}

void advance(Graph& graph, const RnnBatchwiseFlags& flags, const Tensor& state, const Tensor& next,
             Sequence& prog, const DebugContext& context) {
  if (flags.valid())
    popops::mapInPlace(graph, pe::_3 * pe::_2 + pe::_4 * pe::_1,
                       {state, next, flags.mask.expand({1}), flags.inverse.expand({1})}, prog,
                       context);
  else
    prog.add(poplar::program::Copy(next, state, false, context));
}

void silence(Graph& graph, const RnnBatchwiseFlags& flags, const Tensor& values, Sequence& prog,
             const DebugContext& context) {
  if (flags.valid()) popops::mulInPlace(graph, values, flags.mask.expand({1}), prog, context);
}

Tensor weightGradient(Graph& graph, const Tensor& inputs, const Tensor& gradients,
                      const RecurrentOptions& options, Sequence& prog, const DebugContext& context,
                      poplin::PlanningCache* cache) {
  const std::size_t units = gradients.dim(1), samples = inputs.dim(0) * inputs.dim(1);
  const auto left = inputs.reshape({samples, inputs.dim(2)}).transpose();
  const auto right =
      gradients.dimShuffle({0, 2, 1, 3}).reshape({samples, units * gradients.dim(3)});
  const auto sums = poplin::matMul(graph, left, right, prog, options.accumulators, context,
                                   options.products, cache);
  return popops::cast(graph, unitsOf(sums, units), inputs.elementType(), prog, context);
}

Tensor biasGradient(Graph& graph, const Tensor& gradients, const RecurrentOptions& options,
                    Sequence& prog, const DebugContext& context) {
  const auto sums = popops::reduce(graph, gradients, options.accumulators, {0, 2},
                                   popops::Operation::ADD, prog, context);
  return popops::cast(graph, sums, gradients.elementType(), prog, context);
}

Tensor statesBefore(const Tensor& first, const Tensor& outputs) {
  return poplar::concat(first.expand({0}), outputs.slice(0, outputs.dim(0) - 1));
}

PlannedProduct plannedProduct(const poplar::Type& type, const poplar::OptionFlags& options,
                              const char* pass, std::size_t rows, std::size_t inner,
                              std::size_t columns) {
  poplar::OptionFlags with = options;
  with.set("fullyConnectedPass", pass);
  return {{type, type, {rows, inner}, {inner, columns}}, with};
}

}  // namespace popir
