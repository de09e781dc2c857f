// Sums of features weighted by B-splines. After popops/SplineWeighting.hpp of PopLibs 3.
#ifndef popops_SplineWeighting_hpp
#define popops_SplineWeighting_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace popops {

/// Returns for each point the sum over its splines s of basis[s] * (input . weight[weightIndex[s]]),
/// [points, outputs].
///
/// \param input [points, inputs] of FLOAT or HALF
/// \param weight [weights, inputs, outputs] of that type
/// \param basis, weightIndex [points, splines]: what splineBasis() gives
/// \throws poputil::poplibs_error for other shapes and types
poplar::Tensor splineWeighting(poplar::Graph& graph, const poplar::Tensor& input,
                               const poplar::Tensor& weight, const poplar::Tensor& basis,
                               const poplar::Tensor& weightIndex, poplar::program::Sequence& prog,
                               const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
