#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <tuple>
#include <utility>

#include "kernels/contraction/meetings.hpp"
#include "kernels/half.hpp"
#include "poplar/planned_layout.hpp"
#include "poplar/tile_mapping.hpp"
#include "poplin/contraction_options.hpp"

namespace poplin {
namespace {

using popir::contraction::Pass;
using poplar::Tensor;
using Problem = popir::ConvKernel::Problem;
using Shape = std::vector<std::size_t>;

Shape activationsShape(std::size_t batch, std::size_t channels, const Shape& field) {
  Shape shape = {batch, channels};
  shape.insert(shape.end(), field.begin(), field.end());
  return shape;
}
Shape inputShape(const ConvParams& p) {
  return activationsShape(p.batchSize, p.getNumInputChans(), p.inputFieldShape);
}
/// \throws poputil::poplibs_error for inconsistent parameters; callers may have set the members one
/// by one
Shape outputShape(const ConvParams& p) {
  p.validate();
  return activationsShape(p.batchSize, p.getNumOutputChans(), p.getOutputFieldShape());
}
Shape weightsShape(const ConvParams& p, bool transposed = false) {
  Shape shape = {p.numConvGroups, p.outputChannelsPerConvGroup, p.inputChannelsPerConvGroup};
  if (transposed) std::swap(shape[1], shape[2]);
  shape.insert(shape.end(), p.kernelShape.begin(), p.kernelShape.end());
  return shape;
}

void check(const char* who, const char* what, const Tensor& t, const Shape& shape,
           const poplar::Type& type) {
  if (t.shape() == shape && t.elementType() == type) return;
  throw poputil::poplibs_error(std::string(who) + ": " + what + " is " +
                               t.elementType().toString() + " " + popir::shapeText(t.shape()) +
                               ", the parameters say " + type.toString() + " " +
                               popir::shapeText(shape));
}

void checkTypes(const char* who, const ConvParams& p) {
  if ((popir::isFloatOrHalf(popir::contracted(p.inputType)) &&
       popir::isFloatOrHalf(p.outputType)) ||
      (p.inputType == poplar::DOUBLE && p.outputType == poplar::DOUBLE))
    return;
  throw poputil::poplibs_error(std::string(who) +
                               ": convolutions take float, half, bfloat16 or double, or quarter "
                               "with a result of one of the first three; got " +
                               p.inputType.toString() + " to " + p.outputType.toString());
}

/// Keeps elements [lower, size - upper) of each field dimension. The first field dimension is
/// `first`.
Tensor truncate(Tensor t, unsigned first, const std::vector<unsigned>& lower,
                const std::vector<unsigned>& upper) {
  for (unsigned d = 0; d < lower.size(); ++d)
    if (lower[d] + upper[d] > 0) t = t.slice(lower[d], t.dim(first + d) - upper[d], first + d);
  return t;
}

Tensor flip(Tensor t, unsigned first, const std::vector<bool>& flips, bool flipped = true) {
  for (unsigned d = 0; d < flips.size(); ++d)
    if (flips[d] == flipped) t = t.reverse(first + d);
  return t;
}

constexpr unsigned kActivationsField = 2, kWeightsField = 3;

Tensor transformedInput(const Tensor& in, const ConvParams& p) {
  const auto& t = p.inputTransform;
  return flip(truncate(in, kActivationsField, t.truncationLower, t.truncationUpper),
              kActivationsField, t.flip);
}
Tensor transformedWeights(const Tensor& weights, const ConvParams& p) {
  const auto& t = p.kernelTransform;
  return flip(truncate(weights, kWeightsField, t.truncationLower, t.truncationUpper), kWeightsField,
              t.flip);
}
/// The output without its padding.
Tensor innerOutput(const Tensor& out, const ConvParams& p) {
  const auto& t = p.outputTransform;
  return truncate(out, kActivationsField, t.paddingLower, t.paddingUpper);
}

/// Weights [g, o, i, field...] with exchanged channels and reversed fields.
Tensor transposeAndFlip(const Tensor& weights) {
  Tensor t = weights.dimRoll(2, 1);
  for (unsigned d = kWeightsField; d < t.rank(); ++d) t = t.reverse(d);
  return t;
}

bool padded(const ConvParams::OutputTransform& t) {
  return t != ConvParams::OutputTransform(t.truncationLower, t.truncationUpper, t.stride,
                                          std::vector<unsigned>(t.stride.size(), 0),
                                          std::vector<unsigned>(t.stride.size(), 0));
}
bool truncated(const ConvParams::InputTransform& t) {
  const std::vector<unsigned> none(t.flip.size(), 0);
  return t.truncationLower != none || t.truncationUpper != none;
}

/// The forward pass for canonical parameters. Its views are already truncated and reversed.
Problem forwardProblem(const ConvParams& p) {
  Problem f;
  f.pass = Pass::Forward;
  f.inType = popir::contracted(p.inputType);
  f.outType = p.outputType;
  f.batch = static_cast<std::int64_t>(p.batchSize);
  f.groups = static_cast<std::int64_t>(p.numConvGroups);
  f.inChannels = static_cast<std::int64_t>(p.inputChannelsPerConvGroup);
  f.outChannels = static_cast<std::int64_t>(p.outputChannelsPerConvGroup);
  for (unsigned d = 0; d < p.getNumFieldDims(); ++d) {
    const auto& in = p.inputTransform;
    const auto& out = p.outputTransform;
    f.inField.push_back(p.getTruncatedInputSize(d));
    f.kernel.push_back(p.getTruncatedKernelSize(d));
    f.outField.push_back(
        static_cast<std::int64_t>(p.getOutputSize(d) - out.paddingLower[d] - out.paddingUpper[d]));
    f.stride.push_back(out.stride[d]);
    f.dilation.push_back(p.kernelTransform.dilation[d]);
    f.inDilation.push_back(in.dilation[d]);
    const unsigned padding = in.flip[d] ? in.paddingUpper[d] : in.paddingLower[d];
    f.padLower.push_back(static_cast<std::int64_t>(padding) - out.truncationLower[d]);
  }
  return f;
}

/// Expresses `f` as the data gradient of another convolution. Returns false if not all sources
/// support that one.
bool asDataGradient(const Problem& f, Problem& gradient) {
  gradient = f;
  gradient.pass = Pass::DataGradient;
  std::swap(gradient.inChannels, gradient.outChannels);
  std::swap(gradient.inField, gradient.outField);
  std::swap(gradient.stride, gradient.inDilation);
  for (std::size_t d = 0; d < f.kernel.size(); ++d) {
    gradient.padLower[d] = (f.kernel[d] - 1) * f.dilation[d] - f.padLower[d];
    if (f.stride[d] != 1 || gradient.padLower[d] < 0) return false;
  }
  return true;
}

bool dilated(const Problem& f) {
  for (auto d : f.inDilation)
    if (d != 1) return true;
  return false;
}

/// The problem that convolution() plans, and whether the operand it writes is the problem's first:
/// it is planned as the gradient of another one's input then.
std::pair<Problem, bool> chosen(const ConvParams& p, bool transposeAndFlipWeights,
                                const popir::MachineOptions& options) {
  Problem problem = forwardProblem(p), gradient;
  problem.options = options;
  const bool written =
      (transposeAndFlipWeights || dilated(problem)) && asDataGradient(problem, gradient);
  return {written ? gradient : problem, written};
}

enum class Role { Input, Weights, Output };  // operand numbers of ConvKernel

/// Creates a variable with the layout of the plan. Activations of which the transforms do not keep
/// all elements are cut as often along each dimension. `turned`: the forward pass runs as the data gradient of another convolution.
Tensor create(poplar::Graph& graph, Role role, Pass pass, bool turned, const ConvParams& params,
              const popir::MachineOptions& options, const poplar::Type& type, const Shape& shape,
              const poplar::DebugContext& debugContext) {
  params.validate();
  const auto t = graph.addVariable(type, shape, debugContext);
  const ConvParams p = params.canonicalize();
  auto operand = static_cast<std::size_t>(role);
  Problem problem;
  bool written = false;
  if (pass == Pass::Forward) {
    std::tie(problem, written) = chosen(p, turned, options);
  } else {
    problem = forwardProblem(p);
    problem.options = options;
    problem.pass = pass;
  }
  if (written && role != Role::Weights) operand = 2 - operand;
  const auto work = popir::layoutWork(graph, popir::ConvKernel(problem), p.inputType);
  const auto planned = popir::ContractionShape::of(std::get<popir::ContractionWork>(work.whole));
  // Batch, groups, channels of a group, and the field unless some of its dimensions are one
  std::vector<std::int64_t> sizes{problem.batch, problem.groups,
                                  static_cast<std::int64_t>(shape[1]) / problem.groups};
  sizes.insert(sizes.end(), shape.begin() + kActivationsField, shape.end());
  if (planned.elements(operand) == static_cast<std::int64_t>(t.numElements()))
    popir::mapByPlan(graph, t, work, operand);
  else if (role != Role::Weights && planned.operands[operand].size() == sizes.size())
    popir::mapByPlan(graph, t, work, operand, sizes);
  else
    popir::mapLinearly(graph, t, 1, 1);
  return t;
}

}  // namespace
}  // namespace poplin

void popir::planAhead(const poplin::ConvParams& params, const poplar::OptionFlags& options,
                      poplin::PlanningCache& cache) {
  const char* const who = "poplin::preplan";
  const poplin::ConvParams p = params.canonicalize();
  poplin::checkTypes(who, p);
  plan(poplin::chosen(p, false, convOptions(who, options)).first, &cache);
}

namespace poplin {

std::uint64_t getFwdFlops(const ConvParams& params) {
  return popir::saturatingProduct(2, forwardProblem(params.canonicalize()).multiplications());
}
std::uint64_t getBwdFlops(const ConvParams& params) { return getFwdFlops(params); }
std::uint64_t getWuFlops(const ConvParams& params) { return getFwdFlops(params); }

double getFwdPerfectCycleCount(const poplar::Graph& graph, const ConvParams& params) {
  const auto& target = graph.getTarget();
  unsigned perCycle = target.getVectorWidth(params.inputType);
  if (params.inputType == poplar::QUARTER)
    perCycle *= std::max(target.getNumConvUnits(poplar::QUARTER, poplar::HALF), 1U);
  if (params.inputType == poplar::HALF)
    perCycle *= std::max({target.getFp16InFp16OutConvUnitsPerTile(),
                          target.getFp16InFp32OutConvUnitsPerTile(),
                          target.getFp32InFp32OutConvUnitsPerTile()});
  return static_cast<double>(getFwdFlops(params)) / 2 / perCycle / target.getNumTiles();
}
double getBwdPerfectCycleCount(const poplar::Graph& graph, const ConvParams& params) {
  return getFwdPerfectCycleCount(graph, params);
}
double getWuPerfectCycleCount(const poplar::Graph& graph, const ConvParams& params) {
  return getFwdPerfectCycleCount(graph, params);
}

Tensor fullyConnectedWeightTranspose(poplar::Graph&, Tensor weights, const ConvParams& params,
                                     poplar::program::Sequence&, const poplar::DebugContext&,
                                     const poplar::OptionFlags& options, PlanningCache*) {
  popir::convOptions("poplin::fullyConnectedWeightTranspose", options);
  if (params.getNumFieldDims() != 1 || weights.rank() != 4)
    throw poputil::poplibs_error("poplin::fullyConnectedWeightTranspose: weights " +
                                 popir::shapeText(weights.shape()) + " of " +
                                 std::to_string(params.getNumFieldDims()) +
                                 " field dimensions; expected [groups, out, in, 1] of one");
  return weights.dimShufflePartial({1, 2}, {2, 1});
}

Tensor createInput(poplar::Graph& graph, const ConvParams& params,
                   const poplar::DebugContext& debugContext, const poplar::OptionFlags& options,
                   PlanningCache*) {
  return create(graph, Role::Input, Pass::Forward, false, params,
                popir::convOptions("poplin::createInput", options), params.inputType,
                inputShape(params), debugContext);
}

Tensor createWeights(poplar::Graph& graph, const ConvParams& params,
                     const poplar::DebugContext& debugContext, const poplar::OptionFlags& options,
                     PlanningCache*) {
  return create(graph, Role::Weights, Pass::Forward, false, params,
                popir::convOptions("poplin::createWeights", options), params.inputType,
                weightsShape(params), debugContext);
}

Tensor createConvOutput(poplar::Graph& graph, const ConvParams& params,
                        const poplar::DebugContext& debugContext,
                        const poplar::OptionFlags& options, PlanningCache*) {
  return create(graph, Role::Output, Pass::Forward, false, params,
                popir::convOptions("poplin::createConvOutput", options), params.outputType,
                outputShape(params), debugContext);
}

namespace {

// PopLibs' rule: a channel's bias is on a tile that has activations of the channel. Where several
// have, these share the channels, 8 bytes or more each; of them the last tiles are taken first.
void mapBiases(poplar::Graph& graph, const Tensor& biases, const Tensor& activations) {
  constexpr std::size_t kMinBytes = 8;
  const auto& target = graph.getTarget();
  const auto type = biases.elementType();
  const unsigned tiles = target.getNumTiles();
  const std::size_t bytes = target.getTypeSize(type);
  const auto grain = target.getVectorWidth(type);
  const auto least = static_cast<unsigned>((kMinBytes + bytes - 1) / bytes);
  if (activations.numElements() == 0)
    return poputil::mapTensorLinearly(graph, biases, least, grain);
  const auto channels = activations.dimRoll(1, 0);
  const auto each = channels.numElements() / channels.dim(0);
  const auto mapping = graph.getTileMapping(channels);
  unsigned last = tiles - 1;
  while (last > 0 && mapping[last].empty()) --last;
  poputil::TensorUseTracker uses(tiles, tiles - 1 - last, false);
  for (unsigned tile = 0; tile < tiles; ++tile) {
    // Adjacent parts of the activations may be of one channel.
    std::vector<poplar::Interval> used;
    for (const auto& part : mapping[tile]) {
      const auto begin = part.begin() / each, end = (part.end() + each - 1) / each;
      if (!used.empty() && begin <= used.back().end())
        used.back() = {used.back().begin(), std::max(end, used.back().end())};
      else
        used.emplace_back(begin, end);
    }
    for (const auto& range : used) uses.add(graph, tile, biases.slice(range.begin(), range.end()));
  }
  uses.mapTensorsByUse(graph, grain, least, true);
}

}  // namespace

Tensor createBiases(poplar::Graph& graph, const Tensor& activations,
                    const poplar::DebugContext& debugContext) {
  if (activations.rank() < 2)
    throw poputil::poplibs_error(
        "poplin::createBiases: expected activations [batch, channels, field...], got " +
        popir::shapeText(activations.shape()));
  const auto biases =
      graph.addVariable(activations.elementType(), {activations.dim(1)}, debugContext);
  mapBiases(graph, biases, activations);
  return biases;
}

Tensor createBiases(poplar::Graph& graph, const Tensor& activations, const ConvParams&,
                    const poplar::DebugContext& debugContext, const poplar::OptionFlags& options,
                    PlanningCache*) {
  popir::convOptions("poplin::createBiases", options);
  return createBiases(graph, activations, debugContext);
}

void convolutionWithOutput(poplar::Graph& graph, const Tensor& in, const Tensor& weights,
                           const Tensor& out, const ConvParams& params,
                           bool transposeAndFlipWeights, poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext,
                           const poplar::OptionFlags& options, PlanningCache* cache) {
  const char* const who = "poplin::convolution";
  const ConvParams p = params.canonicalize();
  checkTypes(who, p);
  check(who, "the input", in, inputShape(p), p.inputType);
  check(who, "the weights", weights, weightsShape(p, transposeAndFlipWeights), p.inputType);
  check(who, "the output", out, outputShape(p), p.outputType);
  if (out.intersectsWith(in) || out.intersectsWith(weights)) {
    // Written in place, an element of the result would be an operand of others.
    const Tensor beside = graph.clone(out, debugContext);
    convolutionWithOutput(graph, in, weights, beside, params, transposeAndFlipWeights, prog,
                          debugContext, options, cache);
    prog.add(poplar::program::Copy(beside, out, false, debugContext));
    return;
  }
  if (padded(p.outputTransform)) popops::zero(graph, out, prog, {debugContext, "padding"});

  const auto [problem, written] =
      chosen(p, transposeAndFlipWeights, popir::convOptions(who, options));
  Tensor kernel =
      transformedWeights(transposeAndFlipWeights ? transposeAndFlip(weights) : weights, p);
  Tensor first = transformedInput(in, p), last = innerOutput(out, p);
  if (written) {
    kernel = transposeAndFlip(kernel);
    std::swap(first, last);
  }
  const auto access = [](bool write) { return write ? popir::Access::Write : popir::Access::Read; };
  popir::addContraction(
      graph, prog, popir::plan(problem, cache),
      {{first, access(written)}, {kernel, popir::Access::Read}, {last, access(!written)}},
      debugContext);
}

Tensor convolution(poplar::Graph& graph, const Tensor& in, const Tensor& weights,
                   const ConvParams& params, bool transposeAndFlipWeights,
                   poplar::program::Sequence& prog, const poplar::DebugContext& debugContext,
                   const poplar::OptionFlags& options, PlanningCache* cache) {
  const auto out = create(graph, Role::Output, Pass::Forward, transposeAndFlipWeights, params,
                          popir::convOptions("poplin::convolution", options), params.outputType,
                          outputShape(params), debugContext);
  convolutionWithOutput(graph, in, weights, out, params, transposeAndFlipWeights, prog,
                        debugContext, options, cache);
  return out;
}

Tensor calculateWeightDeltas(poplar::Graph& graph, const Tensor& zDeltas, const Tensor& activations,
                             const ConvParams& params, poplar::program::Sequence& prog,
                             const poplar::DebugContext& debugContext,
                             const poplar::OptionFlags& options, PlanningCache* cache) {
  const char* const who = "poplin::calculateWeightDeltas";
  const ConvParams p = params.canonicalize();
  checkTypes(who, p);
  if (p.inputType == poplar::QUARTER)
    throw poputil::poplibs_error(std::string(who) +
                                 ": gradients of weights of quarter; cast to half");
  check(who, "the gradient of the output", zDeltas, outputShape(p), p.outputType);
  check(who, "the activations", activations, inputShape(p), p.inputType);
  const auto machineOptions = popir::convOptions(who, options);
  const auto deltas = create(graph, Role::Weights, Pass::WeightsGradient, false, params,
                             machineOptions, p.inputType, weightsShape(p), debugContext);
  if (truncated(p.kernelTransform)) popops::zero(graph, deltas, prog, {debugContext, "truncated"});
  Problem problem = forwardProblem(p);
  problem.pass = Pass::WeightsGradient;
  problem.options = machineOptions;
  popir::addBulkVertex(graph, prog, popir::plan(problem, cache),
                       {{transformedInput(activations, p), popir::Access::Read},
                        {transformedWeights(deltas, p), popir::Access::Write},
                        {innerOutput(zDeltas, p), popir::Access::Read}},
                       debugContext);
  return deltas;
}

void weightsTransposeChansFlipXY(poplar::Graph&, const Tensor& weightsIn, const Tensor& weightsOut,
                                 poplar::program::Sequence& prog,
                                 const poplar::DebugContext& debugContext) {
  const bool weights = weightsIn.rank() > kWeightsField;
  const auto turned = weights ? transposeAndFlip(weightsIn) : weightsIn;
  if (!weights || turned.shape() != weightsOut.shape() ||
      weightsIn.elementType() != weightsOut.elementType())
    throw poputil::poplibs_error(
        "poplin::weightsTransposeChansFlipXY: expected [groups, O, I, field...] and [groups, I, O, "
        "field...] of one type, got " +
        weightsIn.elementType().toString() + " " + popir::shapeText(weightsIn.shape()) + " and " +
        weightsOut.elementType().toString() + " " + popir::shapeText(weightsOut.shape()));
  prog.add(poplar::program::Copy(turned, weightsOut, false, debugContext));
}

}  // namespace poplin
