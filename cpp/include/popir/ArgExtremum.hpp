// Where the maximum or minimum of a row is, the first or the last one. popir's own.
#ifndef popir_ArgExtremum_hpp
#define popir_ArgExtremum_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace popir {

/// As popnn::argMax (`max`) or popnn::argMin: the index of an extremum of each row, UNSIGNED_INT
/// [rows]; of several equal ones the first or, with `last`, the last. `input` may also be [outer,
/// columns, inner]; the index along the middle is [outer, inner] then.
/// \throws poputil::poplibs_error as they do
poplar::Tensor argExtremum(poplar::Graph& graph, const poplar::Tensor& input, bool max, bool last,
                           poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext = {});

}  // namespace popir
#pragma GCC visibility pop

#endif
