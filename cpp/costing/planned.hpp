// What the costs of contractions and of poolings have in common: the tiles of their plans, and what
// travels to and from these.
#ifndef popir_costing_planned_hpp
#define popir_costing_planned_hpp

#include <utility>
#include <vector>

#include "costing/reading.hpp"
#include "machine/contraction/layout.hpp"

namespace popir {

/// The tensor that a vertex writes first.
const poplar::Tensor& writtenOf(const BulkVertex& vertex);

/// The IPUs that have elements, from the first to the last: the first one, and their number; all if
/// none has any.
std::pair<unsigned, unsigned> ipusOf(const TargetSpec& spec,
                                     const std::vector<std::int64_t>& byTile);

/// The tiles that a vertex's plan may use: `tiles` of them, from `first` on.
struct Place {
  unsigned first, tiles;
};
/// The tiles of the virtual graph that the vertex was added to, if their numbers are consecutive,
/// or all; if these are of several IPUs, and no plan maps the result, those of the IPUs that the
/// result is mapped to, from the first IPU to the last.
Place placeOf(const GraphImpl& graph, const BulkVertex& vertex);

/// Adds the traffic that moves an operand, reshaped to `shape`, from its tile mapping to tiles
/// `first` and up. `together` is as for Traffic::receive().
void addTraffic(Phase& phase, const GraphImpl& graph, const poplar::Tensor& operand,
                const BoxNeeds& needs, const Dims& shape, unsigned first, unsigned together);

/// Adds the phase that moves a result from where a plan makes it to its tile mapping, if it moves.
void addMove(std::vector<Phase>& phases, const GraphImpl& graph, const Grid& made,
             const poplar::Tensor& result);

}  // namespace popir

#endif
