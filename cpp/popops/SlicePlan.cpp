#include <popops/DynamicSlice.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <string>

#include "poplar/graph_impl.hpp"
#include "poplar/library_options.hpp"
#include "poplar/planned_layout.hpp"
#include "popops/slice_plan.hpp"

namespace popir {

using popops::Operation;
using Sizes = std::vector<std::size_t>;

std::uint64_t hashOf(const std::vector<std::uint64_t>& numbers) {
  constexpr std::uint64_t kFactor = 0xc6a4a7935bd1e995;
  std::uint64_t hash = 0x9e3779b9;
  for (std::uint64_t value : numbers) {
    value *= kFactor;
    value ^= value >> 47;
    hash = (hash ^ value * kFactor) * kFactor + 0xe6546b64;
  }
  return hash;
}

std::uint64_t firstTileOf(const SlicePartition& p, std::uint64_t groups, std::uint64_t tiles) {
  constexpr std::uint64_t kRank = 2, kSlicedDim = 0, kSlicedSize = 1, kValidates = 0;
  return hashOf({p.searches, kValidates, p.precopy, p.serial, p.lookups, p.entries, p.columns,
                 p.groups, p.grain, kRank, groups, kSlicedDim, kSlicedSize}) %
         tiles;
}

SliceUse sliceUseOf(const char* who, const poplar::OptionFlags& options) {
  checkLibraryOptions(who, Library::Slice, options);
  SliceUse use;
  for (const auto& [name, value] : options) {
    if (name == "usedForSlice") use.slice = value == "true";
    if (name == "usedForUpdate") use.update = value == "true";
    if (name == "availableMemoryProportion") use.memoryProportion = std::stod(value);
    if (name == "indicesDistribution") use.onePoint = value == "onePoint";
    if (name == "indicesAreSorted") use.sorted = value == "true";
    if (name == "planMinimisationTarget") use.leastMemory = value == "memory";
    if (name == "partialType")
      use.partials = value == "none"   ? std::nullopt
                     : value == "half" ? std::optional(poplar::HALF)
                                       : std::optional(poplar::FLOAT);
    if (name == "operationForUpdate")
      use.operation = value == "none"  ? std::nullopt
                      : value == "add" ? std::optional(Operation::ADD)
                      : value == "max" ? std::optional(Operation::MAX)
                                       : std::optional(Operation::MUL);
  }
  return use;
}

void checkPartials(const char* who, const SliceUse& use, const poplar::Type& type) {
  if (use.operation == Operation::ADD && use.partials == poplar::HALF && type == poplar::FLOAT)
    throw poputil::poplibs_error(std::string(who) +
                                 ": the table is FLOAT and partialType half; leave partialType, "
                                 "or set it to float");
}

std::optional<PlannedSlices> plannedSlices(const char* who, const popops::SlicePlan& plan,
                                           const Sizes& shape, const Sizes& dims,
                                           const Sizes& sizes, const poplar::OptionFlags& options) {
  const std::string called = std::string("popops::") + who;
  const auto use = sliceUseOf(called.c_str(), options);
  const auto* made = plan.impl();
  if (!made) return {};
  const bool grouped = made->groups > 1 || dims.size() == 2;
  const bool fits = dims.size() == (grouped ? 2 : 1) && sizes.size() == dims.size() &&
                    shape.size() >= dims.size() &&
                    std::all_of(sizes.begin(), sizes.end(), [](auto n) { return n == 1; }) &&
                    (!grouped || (dims[0] == 0 && shape[0] == made->groups));
  if (!fits)
    throw poputil::poplibs_error(
        called + ": the plan is for slices of one row along one dimension, of " +
        std::to_string(made->groups) + " groups; give such slices, or SlicePlan()");
  auto planned = made->planned;
  planned.use = use;
  return planned;
}

}  // namespace popir

namespace popops {

bool operator<(const SlicePlan& a, const SlicePlan& b) noexcept {
  if (!a.impl_ || !b.impl_) return a.impl_ && !b.impl_;  // PopLibs' isNull is first
  return a.impl_->state() < b.impl_->state();
}
bool operator==(const SlicePlan& a, const SlicePlan& b) noexcept {
  if (!a.impl_ || !b.impl_) return !a.impl_ == !b.impl_;
  return a.impl_->state() == b.impl_->state();
}

std::ostream& operator<<(std::ostream& os, const SlicePlan& plan) {
  if (!plan.impl_) return os << "SlicePlan()";
  const auto& p = plan.impl_->planned.split;
  return os << "SlicePlan(precopyBaseWhenSerialSlice " << p.precopy << ", lookupSerialSplit "
            << p.serial << ", lookupParallelSplit " << p.lookups << ", slicedDimSplit " << p.entries
            << ", unslicedDimSplit " << p.columns << ", groupSplit " << p.groups
            << ", unslicedGrainSize " << p.grain << ", useIndicesOrderingInfo " << p.searches
            << ", startTile " << plan.impl_->planned.first << ")";
}

namespace embedding {
namespace {

SlicePlan planned(const char* who, const poplar::Graph& graph, const poplar::Type& type,
                  std::size_t groups, std::size_t entries, std::size_t size,
                  const std::vector<std::size_t>& lookups, const poplar::OptionFlags& options) {
  const auto use = popir::sliceUseOf(who, options);
  if (!use.slice && !use.update)
    throw poputil::poplibs_error(
        std::string(who) +
        ": usedForSlice and usedForUpdate are false; set one of them, or leave both");
  popir::checkPartials(who, use, type);
  const std::size_t most = lookups.empty() ? 1 : *std::max_element(lookups.begin(), lookups.end());
  // What has no elements has no layout.
  if (groups == 0 || entries == 0 || size == 0 || most == 0) return {};
  const auto& target = graph.getTarget();
  auto made = std::make_shared<SlicePlan::Impl>();
  made->planned.use = use;
  made->planned.split =
      graph.impl()->plans->of({type, groups, entries, size, most}, use, target.getNumTiles());
  made->planned.first = popir::firstTileOf(made->planned.split, groups, target.getNumTiles());
  made->groups = groups;
  return SlicePlan(std::move(made));
}

}  // namespace

SlicePlan plan(const poplar::Graph& graph, const poplar::Type& dataType, std::size_t numEntries,
               std::size_t outputSize, const std::vector<std::size_t>& numLookups,
               const poplar::OptionFlags& options) {
  return planned("popops::embedding::plan", graph, dataType, 1, numEntries, outputSize, numLookups,
                 options);
}
SlicePlan plan(const poplar::Graph& graph, const poplar::Type& dataType, std::size_t groupSize,
               std::size_t numEntries, std::size_t outputSize,
               const std::vector<std::size_t>& numLookups, const poplar::OptionFlags& options) {
  return planned("popops::embedding::plan", graph, dataType, groupSize, numEntries, outputSize,
                 numLookups, options);
}
std::vector<SlicePlan> planMultiple(const std::vector<SlicePlanningParameters>& parameters) {
  std::vector<SlicePlan> plans;
  for (const auto& p : parameters)
    plans.push_back(planned("popops::embedding::planMultiple", p.graph, p.dataType, p.groupSize,
                            p.numEntries, p.outputSize, p.numLookups, p.optionFlags));
  return plans;
}

}  // namespace embedding
}  // namespace popops
