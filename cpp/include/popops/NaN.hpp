// Whether a tensor has NaN or infinity. After popops/NaN.hpp of PopLibs 3.
#ifndef popops_NaN_hpp
#define popops_NaN_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#pragma GCC visibility push(default)
namespace popops {

/// A scalar BOOL: true if an element of `src`, of a floating-point type, is NaN.
/// \throws poputil::poplibs_error for another type
poplar::Tensor hasNaN(poplar::Graph& graph, const poplar::Tensor& src,
                      poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {});
/// The same for NaN and infinity.
poplar::Tensor hasNaNOrInf(poplar::Graph& graph, const poplar::Tensor& src,
                           poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
