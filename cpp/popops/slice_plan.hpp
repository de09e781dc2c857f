// What is behind popops::SlicePlan.
#ifndef popir_popops_slice_plan_hpp
#define popir_popops_slice_plan_hpp

#include <popops/DynamicSlice.hpp>

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "workload/slices.hpp"

namespace popops {

struct SlicePlan::Impl {
  popir::PlannedSlices planned;
  std::size_t groups = 1;

  /// What PopLibs compares plans by: all but the first tile, which follows from it.
  auto state() const { return std::tie(planned.split, groups); }
};

}  // namespace popops

namespace popir {

/// PopLibs' hash of a plan's numbers, Boost's of 64 bits, from the seed that PopLibs has.
std::uint64_t hashOf(const std::vector<std::uint64_t>& numbers);

/// The tile, of `tiles`, on which what is planned begins. PopLibs' hash of a plan: tensors of the same
/// plan begin on the same tile.
__attribute__((visibility("default"))) std::uint64_t firstTileOf(const SlicePartition& p,
                                                                 std::uint64_t groups,
                                                                 std::uint64_t tiles);

/// What the options of a function of slices say. \throws poplar::invalid_option as
/// checkLibraryOptions() does.
__attribute__((visibility("default"))) SliceUse sliceUseOf(const char* who,
                                                           const poplar::OptionFlags& options);

/// \throws poputil::poplibs_error for sums of half of a table of FLOAT, which PopLibs has not either
void checkPartials(const char* who, const SliceUse& use, const poplar::Type& type);

/// The plan, as the function `who` uses it for slices of `sizes` along `dims` of a tensor of `shape`,
/// with `options`; none for an empty plan. Where groups are planned they are the first of `dims`.
/// \throws poputil::poplibs_error for a plan of other slices: one is for those of one row, along one
/// dimension
std::optional<PlannedSlices> plannedSlices(const char* who, const popops::SlicePlan& plan,
                                           const std::vector<std::size_t>& shape,
                                           const std::vector<std::size_t>& dims,
                                           const std::vector<std::size_t>& sizes,
                                           const poplar::OptionFlags& options);

}  // namespace popir

#endif
