// The tile mappings of tables and slices that a plan makes.
#include <algorithm>
#include <numeric>

#include "machine/estimators/formulas.hpp"
#include "machine/slices/planner.hpp"

namespace popir {
namespace {

std::int64_t sizeOf(Cycles n) { return static_cast<std::int64_t>(n); }
unsigned tilesOf(Cycles n) { return static_cast<unsigned>(n); }

GridDim groupsOf(const SlicePartition& p, Cycles groups) {
  const auto n = sizeOf(groups), part = sizeOf(std::max<Cycles>(1, ceilDiv(groups, p.groups)));
  return {n, n, part, part, tilesOf(p.lookups * p.entries * p.columns), 0};
}

GridDim columnsOf(const SlicePartition& p, Cycles size) {
  const auto n = sizeOf(size), part = sizeOf(std::max<Cycles>(1, ceilDiv(size, p.columns)));
  return {n, n, part, part, 1, 0};
}

}  // namespace

Grid tableGrid(const TargetSpec& spec, const PlannedSlices& planned, const SliceSizes& sizes) {
  const auto& p = planned.split;
  const auto n = sizeOf(sizes.entries);
  const auto rows = std::max<Cycles>(1, ceilDiv(sizes.entries, p.entries));
  const auto set = tilesOf(p.entries * p.columns);
  GridDim entries{n, n, sizeOf(rows), sizeOf(rows), tilesOf(p.columns), 0};
  GridDim columns = columnsOf(p, sizes.size);
  if (p.lookups > 1) {
    // What tiles on one bus receive together stays together.
    const auto bytes = std::max<Cycles>(1, sizes.type.sizeInBytes());
    const auto atom = spec.exchangeBytesPerCycle * spec.tilesPerSharedExchangeBus;
    const auto grain = std::lcm(p.grain, std::max<Cycles>(1, atom / bytes));
    const auto each = static_cast<Cycles>(columns.part);
    const auto pieces =
        std::max<Cycles>(1, std::min(p.lookups / std::min(rows, p.lookups), ceilDiv(each, grain)));
    columns.sub = sizeOf(ceilDiv(ceilDiv(each, grain), pieces) * grain);
    columns.subStride = set;
    entries.sub = sizeOf(ceilDiv(rows, std::min(rows, p.lookups)));
    entries.subStride = set * tilesOf(pieces);
  }
  Grid grid;
  grid.dims = {groupsOf(p, sizes.groups), entries, columns};
  grid.first = tilesOf(planned.first);
  return grid;
}

Grid slicesGrid(const PlannedSlices& planned, const SliceSizes& sizes) {
  const auto& p = planned.split;
  const auto step = std::max<Cycles>(1, ceilDiv(sizes.lookups, p.serial));
  const auto part = ceilDiv(step, p.lookups), piece = ceilDiv(part, p.entries);
  Grid grid;
  grid.dims = {groupsOf(p, sizes.groups),
               {sizeOf(sizes.lookups), sizeOf(step), sizeOf(part), sizeOf(piece),
                tilesOf(p.entries * p.columns), tilesOf(p.columns)},
               columnsOf(p, sizes.size)};
  grid.first = tilesOf(planned.first);
  return grid;
}

}  // namespace popir
