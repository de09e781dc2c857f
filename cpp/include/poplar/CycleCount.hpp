// Cycles of programs. After poplar/CycleCount.hpp of the Poplar SDK 3.
#ifndef poplar_CycleCount_hpp
#define poplar_CycleCount_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Tensor.hpp>

#pragma GCC visibility push(default)

namespace poplar {

/// The cycles that one execution of `prog` takes on a tile, UNSIGNED_INT[2]: the lower 32 bits, then
/// the upper ones. They are the machine model's estimate for the program as it is when this is
/// called, with its vertices connected and its tensors mapped; nothing is measured. A loop whose end
/// depends on data counts once. On a CPU target they are 0. `syncType` changes nothing: the model
/// adds no cycles for the measurement itself.
/// \throws invalid_tile_mapping for a tile that does not exist
Tensor cycleCount(Graph& graph, program::Sequence& prog, unsigned tile, SyncType syncType,
                  const DebugContext& debugContext = {});
Tensor cycleCount(Graph& graph, program::Sequence& prog, unsigned tile,
                  const DebugContext& debugContext = {});

/// The cycles from the start of `prog` to here, in the same form.
Tensor cycleStamp(Graph& graph, program::Sequence& prog, unsigned tile, SyncType syncType,
                  const DebugContext& debugContext = {});
Tensor cycleStamp(Graph& graph, program::Sequence& prog, unsigned tile,
                  const DebugContext& debugContext = {});

}  // namespace poplar

#pragma GCC visibility pop

#endif
