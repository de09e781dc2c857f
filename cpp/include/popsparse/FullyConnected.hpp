// Layers with sparse weights. After popsparse/FullyConnected.hpp of PopLibs 3.
//
// Options and caches are accepted; there is one plan.
// \throws poputil::poplibs_error for tensors that do not match
#ifndef popsparse_FullyConnected_hpp
#define popsparse_FullyConnected_hpp

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popsparse/FullyConnectedParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseTensor.hpp>

#include <tuple>

#pragma GCC visibility push(default)
namespace popsparse {
namespace dynamic {

/// Weights [output channels, input channels] for the data of a Partitioner.
SparseTensor createFullyConnectedWeights(poplar::Graph& graph, const poplar::Type& inputType,
                                         const FullyConnectedParams& params,
                                         const poplar::DebugContext& debugContext = {},
                                         const poplar::OptionFlags& options = {},
                                         PlanningCache* cache = nullptr);
/// Inputs [batch, input channels].
poplar::Tensor createFullyConnectedInput(poplar::Graph& graph, const poplar::Type& inputType,
                                         const FullyConnectedParams& params,
                                         const poplar::DebugContext& debugContext = {},
                                         const poplar::OptionFlags& options = {},
                                         PlanningCache* cache = nullptr);
/// Outputs [batch, output channels].
poplar::Tensor fullyConnectedFwd(poplar::Graph& graph, const SparseTensor& weights,
                                 const poplar::Tensor& activations,
                                 const FullyConnectedParams& fcParams,
                                 poplar::program::Sequence& prog,
                                 const poplar::DebugContext& debugContext = {},
                                 const poplar::OptionFlags& options = {},
                                 PlanningCache* cache = nullptr);
/// The gradient of the inputs, [batch, input channels], from that of the outputs.
poplar::Tensor fullyConnectedGradA(poplar::Graph& graph, const SparseTensor& weights,
                                   const poplar::Tensor& gradients,
                                   const FullyConnectedParams& fcParams,
                                   poplar::program::Sequence& prog,
                                   const poplar::DebugContext& debugContext = {},
                                   const poplar::OptionFlags& options = {},
                                   PlanningCache* cache = nullptr);
/// The gradient of the weights that are not zero, as the tensor of values has them, from the meta
/// information of the weights, the gradient of the outputs, and the inputs.
poplar::Tensor fullyConnectedSparseGradW(
    poplar::Graph& graph, const poplar::Tensor sparsityMetaInfo, const poplar::Tensor& gradA,
    const poplar::Tensor& activations, const FullyConnectedParams& fcParams,
    poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
    const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);
/// In how many parts the dense gradient of the weights would be computed, by groups, input channels
/// and output channels: 1.
std::tuple<unsigned, unsigned, unsigned> fullyConnectedDenseGradWSerialSplits(
    const poplar::Graph& graph, const poplar::Type& inputType, const FullyConnectedParams& fcParams,
    const poplar::OptionFlags& options = {}, PlanningCache* cache = nullptr);

}  // namespace dynamic
}  // namespace popsparse
#pragma GCC visibility pop

#endif
