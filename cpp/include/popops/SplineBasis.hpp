// B-splines at points. After popops/SplineBasis.hpp of PopLibs 3.
#ifndef popops_SplineBasis_hpp
#define popops_SplineBasis_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace popops {

/// For each point the products of one B-spline of each dimension that are not zero there, and the
/// numbers of their weights, the first dimension counting fastest.
///
/// A coordinate of 0 to 1 lies among kernelSize splines, of which an open one of degree d has d
/// less intervals; a closed one is a circle.
///
/// \param pseudo [points, dimensions] of FLOAT or HALF: the coordinates
/// \param kernelSize INT [dimensions]
/// \param isOpenSpline UNSIGNED_CHAR [dimensions]: 1 for an open spline
/// \param basis [points, (degree + 1) ^ dimensions] of the type of `pseudo`: the products
/// \param weightIndex INT, of that shape
/// \throws poputil::poplibs_error for other shapes and types, and a degree other than 1, 2 and 3
void splineBasis(poplar::Graph& graph, const poplar::Tensor& pseudo,
                 const poplar::Tensor& kernelSize, const poplar::Tensor& isOpenSpline,
                 const poplar::Tensor& basis, const poplar::Tensor& weightIndex, unsigned degree,
                 poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
