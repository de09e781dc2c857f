// Selects one element of each row. After popops/SelectScalarFromRows.hpp of PopLibs 3.
#ifndef popops_SelectScalarFromRows_hpp
#define popops_SelectScalarFromRows_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace popops {

/// Returns [rows] with element indices[i] of row i. `params` is [rows, columns] of FLOAT or HALF.
/// `indices` is [rows] of UNSIGNED_INT. The index MASKED_LABEL_CODE gives 0; any other index out of
/// range gives NaN.
/// \throws poputil::poplibs_error for other shapes and types
poplar::Tensor selectScalarFromRows(poplar::Graph& graph, const poplar::Tensor& params,
                                    const poplar::Tensor& indices, poplar::program::Sequence& prog,
                                    const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
