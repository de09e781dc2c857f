// Several convolutions at once. After poplin/MultiConvolution.hpp of PopLibs 3.
//
// Each is computed as the function of its name in Convolution.hpp computes one. The options of the
// whole (planType, perConvReservedTiles, cycleBackOff) are accepted and change nothing: there is one
// plan, one convolution after the other.
#ifndef poplin_MultiConvolution_hpp
#define poplin_MultiConvolution_hpp

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/Convolution.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace poplin {
namespace multiconv {

struct CreateTensorArgs {
  ConvParams params;
  poplar::OptionFlags options;
  std::string name;
};
/// The weights, or the input, of convolution `index`.
/// \throws poputil::poplibs_error if there is none
poplar::Tensor createWeights(poplar::Graph& graph, const std::vector<CreateTensorArgs>& args,
                             unsigned weightsIndex, const poplar::OptionFlags& options = {},
                             poplin::PlanningCache* cache = nullptr);
poplar::Tensor createInput(poplar::Graph& graph, const std::vector<CreateTensorArgs>& args,
                           unsigned inputIndex, const poplar::OptionFlags& options = {},
                           poplin::PlanningCache* cache = nullptr);

struct ConvolutionArgs {
  poplar::Tensor inputs;
  poplar::Tensor weights;
  ConvParams params;
  poplar::OptionFlags options;
};
std::vector<poplar::Tensor> convolution(
    poplar::Graph& graph, const std::vector<ConvolutionArgs>& args, bool transposeAndFlipWeights,
    poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
    const poplar::OptionFlags& options = {}, poplin::PlanningCache* cache = nullptr);
/// Writes each of `weightsIn` to the weights of `args`, transposed.
/// \throws poputil::poplibs_error for other numbers of them
void weightsTransposeChansFlipXY(poplar::Graph& graph, std::vector<ConvolutionArgs>& args,
                                 const std::vector<poplar::Tensor>& weightsIn,
                                 poplar::program::Sequence& prog,
                                 const poplar::OptionFlags& options,
                                 const poplar::DebugContext& debugContext,
                                 poplin::PlanningCache* cache);

struct CalculateWeightDeltasArgs {
  poplar::Tensor zDeltas;
  poplar::Tensor activations;
  ConvParams params;
  poplar::OptionFlags options;
};
std::vector<poplar::Tensor> calculateWeightDeltas(
    poplar::Graph& graph, const std::vector<CalculateWeightDeltasArgs>& args,
    poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
    const poplar::OptionFlags& options = {}, poplin::PlanningCache* cache = nullptr);

struct ConvWeightUpdateArgs {
  poplar::Tensor zDeltas;
  poplar::Tensor weights;
  poplar::Tensor activations;
  poplar::Tensor scale;
  ConvParams params;
  poplar::OptionFlags options;
};
void convolutionWeightUpdate(poplar::Graph& graph, const std::vector<ConvWeightUpdateArgs>& args,
                             poplar::program::Sequence& prog,
                             const poplar::DebugContext& debugContext = {},
                             const poplar::OptionFlags& options = {},
                             poplin::PlanningCache* cache = nullptr);

struct ConvWeightUpdateArgsScalar {
  poplar::Tensor zDeltas;
  poplar::Tensor weights;
  poplar::Tensor activations;
  float scale;
  ConvParams params;
  poplar::OptionFlags options;
};
void convolutionWeightUpdate(poplar::Graph& graph,
                             const std::vector<ConvWeightUpdateArgsScalar>& args,
                             poplar::program::Sequence& prog,
                             const poplar::DebugContext& debugContext = {},
                             const poplar::OptionFlags& options = {},
                             poplin::PlanningCache* cache = nullptr);

}  // namespace multiconv
}  // namespace poplin
#pragma GCC visibility pop

#endif
