#include <poplin/MultiConvolution.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include <string>

namespace poplin {
namespace multiconv {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

namespace {

/// \throws poplar::invalid_option for an option that PopLibs does not have
void checkOptions(const poplar::OptionFlags& options) {
  for (const auto& each : options)
    if (each.first != "planType" && each.first != "perConvReservedTiles" &&
        each.first != "cycleBackOff")
      throw poplar::invalid_option(
          "poplin::multiconv: there is no option " + each.first +
          "; the options are planType, perConvReservedTiles and cycleBackOff");
}

const CreateTensorArgs& one(const std::vector<CreateTensorArgs>& args, unsigned index,
                            const poplar::OptionFlags& options) {
  checkOptions(options);
  if (index >= args.size())
    throw poputil::poplibs_error("poplin::multiconv: convolution " + std::to_string(index) +
                                 " of " + std::to_string(args.size()));
  return args[index];
}

}  // namespace

Tensor createWeights(Graph& graph, const std::vector<CreateTensorArgs>& args, unsigned weightsIndex,
                     const poplar::OptionFlags& options, PlanningCache* cache) {
  const auto& each = one(args, weightsIndex, options);
  return poplin::createWeights(graph, each.params, each.name, each.options, cache);
}

Tensor createInput(Graph& graph, const std::vector<CreateTensorArgs>& args, unsigned inputIndex,
                   const poplar::OptionFlags& options, PlanningCache* cache) {
  const auto& each = one(args, inputIndex, options);
  return poplin::createInput(graph, each.params, each.name, each.options, cache);
}

std::vector<Tensor> convolution(Graph& graph, const std::vector<ConvolutionArgs>& args,
                                bool transposeAndFlipWeights, Sequence& prog,
                                const DebugContext& debugContext,
                                const poplar::OptionFlags& options, PlanningCache* cache) {
  checkOptions(options);
  std::vector<Tensor> results;
  for (const auto& each : args)
    results.push_back(poplin::convolution(graph, each.inputs, each.weights, each.params,
                                          transposeAndFlipWeights, prog, debugContext, each.options,
                                          cache));
  return results;
}

void weightsTransposeChansFlipXY(Graph& graph, std::vector<ConvolutionArgs>& args,
                                 const std::vector<Tensor>& weightsIn, Sequence& prog,
                                 const poplar::OptionFlags& options,
                                 const DebugContext& debugContext, PlanningCache*) {
  checkOptions(options);
  if (args.size() != weightsIn.size())
    throw poputil::poplibs_error(
        "poplin::multiconv::weightsTransposeChansFlipXY: " + std::to_string(weightsIn.size()) +
        " weights for " + std::to_string(args.size()) + " convolutions");
  for (std::size_t i = 0; i < args.size(); ++i)
    poplin::weightsTransposeChansFlipXY(graph, weightsIn[i], args[i].weights, prog, debugContext);
}

std::vector<Tensor> calculateWeightDeltas(Graph& graph,
                                          const std::vector<CalculateWeightDeltasArgs>& args,
                                          Sequence& prog, const DebugContext& debugContext,
                                          const poplar::OptionFlags& options,
                                          PlanningCache* cache) {
  checkOptions(options);
  std::vector<Tensor> results;
  for (const auto& each : args)
    results.push_back(poplin::calculateWeightDeltas(graph, each.zDeltas, each.activations,
                                                    each.params, prog, debugContext, each.options,
                                                    cache));
  return results;
}

void convolutionWeightUpdate(Graph& graph, const std::vector<ConvWeightUpdateArgs>& args,
                             Sequence& prog, const DebugContext& debugContext,
                             const poplar::OptionFlags& options, PlanningCache* cache) {
  namespace pe = popops::expr;
  checkOptions(options);
  for (const auto& each : args) {
    const Tensor deltas =
        poplin::calculateWeightDeltas(graph, each.zDeltas, each.activations, each.params, prog,
                                      debugContext, each.options, cache);
    const auto factor = pe::Cast(pe::_3, each.weights.elementType());
    popops::mapInPlace(graph, pe::_1 + pe::_2 * factor,
                       {each.weights, deltas, each.scale.reshape({})}, prog, debugContext);
  }
}

void convolutionWeightUpdate(Graph& graph, const std::vector<ConvWeightUpdateArgsScalar>& args,
                             Sequence& prog, const DebugContext& debugContext,
                             const poplar::OptionFlags& options, PlanningCache* cache) {
  checkOptions(options);
  for (const auto& each : args)
    poplin::convolutionWeightUpdate(graph, each.zDeltas, each.weights, each.activations,
                                    each.params, each.scale, prog, debugContext, each.options,
                                    cache);
}

}  // namespace multiconv
}  // namespace poplin
