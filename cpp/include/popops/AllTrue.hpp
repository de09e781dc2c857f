// Whether all elements hold. After popops/AllTrue.hpp of PopLibs 3.
#ifndef popops_AllTrue_hpp
#define popops_AllTrue_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace popops {

/// A scalar BOOL: true if no element of A is zero, or false. A is BOOL, INT, UNSIGNED_INT or a
/// floating-point type.
poplar::Tensor allTrue(poplar::Graph& graph, poplar::Tensor A, poplar::program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
