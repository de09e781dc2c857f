// Subtracts one in each row. After popops/UpdateScalarInRows.hpp of PopLibs 3.
#ifndef popops_UpdateScalarInRows_hpp
#define popops_UpdateScalarInRows_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/ExprOp.hpp>

#include <string>

#pragma GCC visibility push(default)
namespace popops {

/// Subtracts 1 from element indices[i] of row i of `params`, [rows, columns] of FLOAT or HALF. The
/// index MASKED_LABEL_CODE changes nothing; any other index out of range makes the whole row NaN.
/// `indices` is UNSIGNED_INT [rows].
/// \throws poputil::poplibs_error for other shapes and types
void updateScalarInRows(poplar::Graph& graph, const poplar::Tensor& params,
                        const poplar::Tensor& indices, poplar::program::Sequence& program,
                        const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
