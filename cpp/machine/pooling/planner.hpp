// The planner of poolings: splits the result over tiles so that the machine model's estimate is
// lowest, by the rules of PopLibs' planner.
#ifndef popir_machine_pooling_planner_hpp
#define popir_machine_pooling_planner_hpp

#include <vector>

#include "machine/contraction/layout.hpp"
#include "machine/estimators/estimators.hpp"

namespace popir {

/// A plan: the sizes of the result, [batch, channels, field...]; those of a part, of which each tile
/// has one; and the work of a tile.
struct PoolingPlan {
  std::vector<std::int64_t> sizes, parts;
  PoolingWork part;
  std::uint64_t vertexCycles = 0;
};

/// Plans a pooling on at most `tiles` tiles of one IPU. As in PopLibs, a plan's cost is the cycles
/// of the vertex, and the bytes that a tile reads, as if all of them came from other tiles.
PoolingPlan planPooling(const TargetSpec& spec, const VertexClass& kind, const PoolingWork& whole,
                        unsigned tiles);

/// The tile mapping of the result that the plan makes, on tiles `first` and up.
Grid layoutOf(const PoolingPlan& plan, unsigned first);

/// The boxes that the tiles of layoutOf() read of the operand that is pooled: of the input, or in a
/// gradient of the output's gradient.
BoxNeeds pooledNeeds(const Grid& result, const PoolingWork& whole);

}  // namespace popir

#endif
