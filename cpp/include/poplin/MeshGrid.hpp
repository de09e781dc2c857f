// Coordinates. After poplin/MeshGrid.hpp of PopLibs 3.
#ifndef poplin_MeshGrid_hpp
#define poplin_MeshGrid_hpp

#include <poplar/Graph.hpp>

#include <cstddef>
#include <vector>

#pragma GCC visibility push(default)
namespace poplin {

/// A constant of `count` numbers from `left` to `right`, both included, at equal distances. The type
/// is FLOAT or HALF.
/// \throws poputil::poplibs_error for another type
poplar::Tensor linspace(poplar::Graph& graph, const poplar::Type& type, float left, float right,
                        std::size_t count, const poplar::DebugContext& debugContext = {});

/// Two views [elements of y, elements of x]: the x and the y of each point of a grid.
/// \throws poputil::poplibs_error if x or y is no vector
std::vector<poplar::Tensor> meshgrid2d(poplar::Graph& graph, poplar::Tensor x, poplar::Tensor y);

}  // namespace poplin
#pragma GCC visibility pop

#endif
