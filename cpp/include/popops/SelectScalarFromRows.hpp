// popops/SelectScalarFromRows.hpp: one element of each row.
#ifndef popops_SelectScalarFromRows_hpp
#define popops_SelectScalarFromRows_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace popops {

/// Element indices[i] of row i of `params`, [rows, columns] of FLOAT or HALF; `indices` is [rows]
/// of UNSIGNED_INT. The index MASKED_LABEL_CODE gives 0, any other that is no column NaN. The
/// result is [rows]. \throws poputil::poplibs_error for other shapes and types.
poplar::Tensor selectScalarFromRows(poplar::Graph& graph, const poplar::Tensor& params,
                                    const poplar::Tensor& indices, poplar::program::Sequence& prog,
                                    const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
