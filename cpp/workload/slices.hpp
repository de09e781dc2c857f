// How slices of a table are split over tiles: a plan's partition, and what the plan is for. Planner
// (machine/slices), layouts, kernel and costs share it.
#ifndef popir_workload_slices_hpp
#define popir_workload_slices_hpp

#include <cstdint>
#include <optional>
#include <poplar/Type.hpp>
#include <popops/OperationDef.hpp>
#include <tuple>

namespace popir {

/// What slices are for, and what is assumed of them. The names are those of PopLibs' options.
struct SliceUse {
  bool slice = true, update = true;
  /// How updates are combined with the table; none if they replace its rows.
  std::optional<popops::Operation> operation = popops::Operation::ADD;
  /// The type in which updates that are added are summed up; none for the table's.
  std::optional<poplar::Type> partials = {};
  /// The part of a tile's memory that temporary data may take.
  double memoryProportion = 0.6;
  /// All offsets are equal; otherwise they are spread evenly over the table.
  bool onePoint = false;
  /// Offsets are in ascending order.
  bool sorted = false;
  /// Plans take as little memory as they can, not as few cycles.
  bool leastMemory = false;

  auto state() const {
    return std::tie(slice, update, operation, partials, memoryProportion, onePoint, sorted,
                    leastMemory);
  }
};

/// How a table and its slices are split. Lookups are split over `serial` steps, and each of these
/// over `lookups` sets of tiles; rows over `entries` tiles of a set, their elements over `columns`
/// tiles, in multiples of `grain`.
struct SlicePartition {
  /// Whether tiles get their part of the table once, before the serial steps.
  bool precopy = false;
  std::uint64_t serial = 1, lookups = 1, entries = 1, columns = 1, groups = 1, grain = 1;
  /// Whether a tile searches the offsets, which are in order, for those of its rows.
  bool searches = false;

  std::uint64_t tiles() const { return groups * lookups * entries * columns; }
  auto state() const {
    return std::tie(precopy, serial, lookups, entries, columns, groups, grain, searches);
  }
  friend bool operator==(const SlicePartition& a, const SlicePartition& b) {
    return a.state() == b.state();
  }
  friend bool operator<(const SlicePartition& a, const SlicePartition& b) {
    return a.state() < b.state();
  }
};

/// Slices with a plan. The first tile is number `first` of those that the plan was made for.
struct PlannedSlices {
  SlicePartition split;
  std::uint64_t first = 0;
  SliceUse use;

  auto state() const { return std::tie(split, first, use); }
};

/// The sizes of planned slices: `groups` tables of `entries` rows of `size` elements each, of each of
/// which `lookups` rows are read or updated at a time.
struct SliceSizes {
  poplar::Type type;
  std::uint64_t groups = 1, entries = 1, size = 1, lookups = 1;
};

}  // namespace popir

#endif
