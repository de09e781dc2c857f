// Slices of a tensor at offsets known only at run time (gather and scatter of rows).
// After popops/DynamicSlice.hpp of PopLibs 3.
//
// A slice takes sizes[i] elements of dimension dims[i] from a given offset on, and all elements of
// the other dimensions. Offsets are UNSIGNED_INT or INT. A slice that is not entirely inside of the
// tensor reads as zeros and is not written, so no offset reaches other memory.
//
// The functions grouped... do the same for each group. The group is the first dimension of `t`,
// `offsets` and `s`; `shape`, `dims` and `sizes` describe one group.
//
// Functions with a plan that is not empty take slices of one row along one dimension, [1] elements
// of [dim].
//
// \throws poputil::poplibs_error if offsets, slices or dimensions do not match the tensor or the plan
#ifndef popops_DynamicSlice_hpp
#define popops_DynamicSlice_hpp

#include <cstddef>
#include <memory>
#include <ostream>
#include <poplar/ArrayRef.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace popops {

/// How a table and its slices are split over tiles (embedding::plan()). The layouts of
/// createSliceableTensor(), createSliceTensor() and createIndicesTensor() follow it, and what slices
/// and updates take; results do not depend on it. An empty plan is for slices without one: a tile
/// has all elements along the sliced dimensions.
class SlicePlan {
 public:
  SlicePlan() = default;

  /// Plans are equal, and in order, by how they split.
  friend bool operator<(const SlicePlan& a, const SlicePlan& b) noexcept;
  friend bool operator==(const SlicePlan& a, const SlicePlan& b) noexcept;
  friend bool operator!=(const SlicePlan& a, const SlicePlan& b) noexcept { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& os, const SlicePlan& plan);

  // Internal: what popops/slice_plan.hpp of the library has; null of an empty plan.
  struct Impl;
  explicit SlicePlan(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl* impl() const { return impl_.get(); }

 private:
  std::shared_ptr<const Impl> impl_;
};

bool operator<(const SlicePlan& a, const SlicePlan& b) noexcept;
bool operator==(const SlicePlan& a, const SlicePlan& b) noexcept;
std::ostream& operator<<(std::ostream& os, const SlicePlan& plan);

namespace embedding {
/// Plans slices of a table [numEntries, outputSize], or of `groupSize` of them, of which the largest
/// of `numLookups` rows (1 if there is none) are read or updated at a time: the plan with the fewest
/// cycles whose temporary data fit, by the machine model. An empty plan if one of the sizes is 0.
/// Options:
///   usedForSlice, usedForUpdate    (true) what the plan is for; one of them at least
///   operationForUpdate             (add) none, add, max or mul. A plan for none does not split lookups
///   partialType                    (none) half or float: in what updates that are added are summed
///                                  up; none for the type of the table
///   availableMemoryProportion      (0.6) of a tile's memory, for temporary data
///   indicesDistribution            (uniform) or onePoint: all offsets are equal
///   indicesAreSorted               (false) offsets are in ascending order
/// \throws poplar::invalid_option for another option or value
/// \throws poputil::poplibs_error for a plan that is for nothing, and for sums of half for FLOAT
SlicePlan plan(const poplar::Graph& graph, const poplar::Type& dataType, std::size_t numEntries,
               std::size_t outputSize, const std::vector<std::size_t>& numLookups,
               const poplar::OptionFlags& options);
SlicePlan plan(const poplar::Graph& graph, const poplar::Type& dataType, std::size_t groupSize,
               std::size_t numEntries, std::size_t outputSize,
               const std::vector<std::size_t>& numLookups, const poplar::OptionFlags& options);

/// The arguments of plan(), for planMultiple().
struct SlicePlanningParameters {
  SlicePlanningParameters(const poplar::Graph& graph_, const poplar::Type& dataType_,
                          std::size_t groupSize_, std::size_t numEntries_, std::size_t outputSize_,
                          const std::vector<std::size_t>& numLookups_,
                          const poplar::OptionFlags& optionFlags_)
      : graph(graph_),
        dataType(dataType_),
        groupSize(groupSize_),
        numEntries(numEntries_),
        outputSize(outputSize_),
        numLookups(numLookups_),
        optionFlags(optionFlags_) {}
  SlicePlanningParameters(const poplar::Graph& graph_, const poplar::Type& dataType_,
                          std::size_t numEntries_, std::size_t outputSize_,
                          const std::vector<std::size_t>& numLookups_,
                          const poplar::OptionFlags& optionFlags_)
      : SlicePlanningParameters(graph_, dataType_, 1, numEntries_, outputSize_, numLookups_,
                                optionFlags_) {}

  const poplar::Graph& graph;
  const poplar::Type dataType;
  const std::size_t groupSize;
  const std::size_t numEntries;
  const std::size_t outputSize;
  const std::vector<std::size_t> numLookups;
  const poplar::OptionFlags optionFlags;
};
std::vector<SlicePlan> planMultiple(const std::vector<SlicePlanningParameters>& parameters);
}  // namespace embedding

/// The tiles that the first slice of a tensor has, as `createSliceableTensor` lays slices out.
poplar::Graph::TileToTensorMapping getSliceMapping(poplar::Graph& graph, const poplar::Tensor& t,
                                                   const std::vector<std::size_t>& dims,
                                                   const std::vector<std::size_t>& sizes);

/// Creates a tensor to slice: a tile has all elements along `dims`, so that slices need not move. The
/// other elements are distributed evenly over the tiles, at least `minGrainSize` to a tile.
poplar::Tensor createSliceableTensor(poplar::Graph& graph, const poplar::Type& type,
                                     const std::vector<std::size_t>& shape,
                                     const std::vector<std::size_t>& dims,
                                     const std::vector<std::size_t>& sizes,
                                     std::size_t minGrainSize = 0,
                                     const poplar::DebugContext& debugContext = {});
poplar::Tensor createSliceableTensor(poplar::Graph& graph, const poplar::Type& type,
                                     const std::vector<std::size_t>& shape,
                                     const std::vector<std::size_t>& dims,
                                     const std::vector<std::size_t>& sizes, const SlicePlan& plan,
                                     const poplar::OptionFlags& options,
                                     const poplar::DebugContext& debugContext = {});
poplar::Tensor createGroupedSliceableTensor(
    poplar::Graph& graph, const poplar::Type& type, std::size_t groupSize,
    const std::vector<std::size_t>& shape, const std::vector<std::size_t>& dims,
    const std::vector<std::size_t>& sizes, const SlicePlan& plan,
    const poplar::OptionFlags& options, const poplar::DebugContext& debugContext = {});
/// Creates a tensor to slice. Along dimension dims[i] it holds numSlices[i] slices of the shape of
/// `s`, each on the tiles that `s` is on.
poplar::Tensor createSliceableTensorFromSlice(poplar::Graph& graph, const poplar::Tensor& s,
                                              const std::vector<std::size_t>& dims,
                                              const std::vector<std::size_t>& numSlices,
                                              const poplar::DebugContext& debugContext = {});
/// Creates a tensor for `numIndices` slices: [numIndices, shape with `sizes` in the dimensions
/// `dims`], on the tiles that a tensor for such slices has.
poplar::Tensor createSliceTensor(poplar::Graph& graph, const poplar::Type& type,
                                 const std::vector<std::size_t>& shape,
                                 const std::vector<std::size_t>& dims,
                                 const std::vector<std::size_t>& sizes, std::size_t numIndices,
                                 const SlicePlan& plan, const poplar::OptionFlags& options,
                                 const poplar::DebugContext& debugContext = {});
/// The same for slices of `t`.
poplar::Tensor createSliceTensor(poplar::Graph& graph, const poplar::Tensor& t,
                                 const std::vector<std::size_t>& dims,
                                 const std::vector<std::size_t>& sizes, std::size_t numIndices,
                                 const poplar::DebugContext& debugContext = {});
poplar::Tensor createGroupedSliceTensor(
    poplar::Graph& graph, const poplar::Type& type, std::size_t groupSize,
    const std::vector<std::size_t>& shape, const std::vector<std::size_t>& dims,
    const std::vector<std::size_t>& sizes, std::size_t numIndices, const SlicePlan& plan,
    const poplar::OptionFlags& options, const poplar::DebugContext& debugContext = {});
/// Creates an UNSIGNED_INT tensor for offsets: [numIndices, number of dims], 32 on a tile at least,
/// from the first tile of the plan on.
poplar::Tensor createIndicesTensor(poplar::Graph& graph, const std::vector<std::size_t>& dims,
                                   std::size_t numIndices, const SlicePlan& plan,
                                   const poplar::OptionFlags& options,
                                   const poplar::DebugContext& debugContext = {});

poplar::Tensor createGroupedIndicesTensor(poplar::Graph& graph, std::size_t groupSize,
                                          const std::vector<std::size_t>& dims,
                                          std::size_t numIndices, const SlicePlan& plan,
                                          const poplar::OptionFlags& options,
                                          const poplar::DebugContext& debugContext = {});

/// Returns one slice: the shape of `t` with `sizes` in the dimensions `dims`. `offset` is [number
/// of dims].
poplar::Tensor dynamicSlice(poplar::Graph& graph, const poplar::Tensor& t,
                            const poplar::Tensor& offset, const std::vector<std::size_t>& dims,
                            const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                            const poplar::DebugContext& debugContext = {},
                            const poplar::OptionFlags& options = {});
/// Creates the output of dynamicSliceWithOutput().
poplar::Tensor createDynamicSliceOutput(poplar::Graph& graph, const poplar::Tensor& t,
                                        const poplar::Tensor& offset,
                                        const std::vector<std::size_t>& dims,
                                        const std::vector<std::size_t>& sizes,
                                        const poplar::DebugContext& debugContext = {},
                                        const poplar::OptionFlags& options = {});
/// dynamicSlice() into `output`.
void dynamicSliceWithOutput(poplar::Graph& graph, const poplar::Tensor& output,
                            const poplar::Tensor& t, const poplar::Tensor& offset,
                            const std::vector<std::size_t>& dims,
                            const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                            const poplar::DebugContext& debugContext = {},
                            const poplar::OptionFlags& options = {});
/// Writes slice `s` into `t`.
void dynamicUpdate(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                   const poplar::Tensor& offset, const std::vector<std::size_t>& dims,
                   const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                   const poplar::DebugContext& debugContext = {},
                   const poplar::OptionFlags& options = {});

/// Gathers several slices: [number of slices, shape of `t` with `sizes` in the dimensions `dims`].
/// `offsets` is [number of slices, number of dims].
poplar::Tensor multiSlice(poplar::Graph& graph, const poplar::Tensor& t,
                          const poplar::Tensor& offsets, const std::vector<std::size_t>& dims,
                          const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                          const SlicePlan& plan, const poplar::OptionFlags& options,
                          const poplar::DebugContext& debugContext = {});
/// Gathers slices of size 1 along dimension `dim`, at constant offsets.
poplar::Tensor multiSlice(poplar::Graph& graph, const poplar::Tensor& t,
                          poplar::ArrayRef<unsigned> offsets, std::size_t dim,
                          poplar::program::Sequence& prog,
                          const poplar::DebugContext& debugContext = {},
                          const poplar::OptionFlags& options = {});
poplar::Tensor groupedMultiSlice(poplar::Graph& graph, const poplar::Tensor& t,
                                 const poplar::Tensor& offsets,
                                 const std::vector<std::size_t>& dims,
                                 const std::vector<std::size_t>& sizes,
                                 poplar::program::Sequence& prog, const SlicePlan& plan,
                                 const poplar::OptionFlags& options,
                                 const poplar::DebugContext& debugContext = {});
/// Scatters the slices `s` into `t`. Where slices overlap, the last one wins.
void multiUpdate(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                 const poplar::Tensor& offsets, const std::vector<std::size_t>& dims,
                 const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                 const SlicePlan& plan, const poplar::OptionFlags& options,
                 const poplar::DebugContext& debugContext = {});
/// Adds the slices `s`, multiplied by `scale` (one element), to `t`, in order. Types: FLOAT, HALF
/// or BFLOAT16 (each sum in float), DOUBLE, INT, UNSIGNED_INT, LONGLONG or UNSIGNED_LONGLONG, the
/// same for all; for HALF the scale may be FLOAT.
void multiUpdateAdd(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                    const poplar::Tensor& offsets, const poplar::Tensor& scale,
                    const std::vector<std::size_t>& dims, const std::vector<std::size_t>& sizes,
                    poplar::program::Sequence& prog, const SlicePlan& plan,
                    const poplar::OptionFlags& options,
                    const poplar::DebugContext& debugContext = {});
/// The same for slices of size 1 along dimension `dim`, at constant offsets.
void multiUpdateAdd(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                    poplar::ArrayRef<unsigned> offsets, const poplar::Tensor& scale,
                    std::size_t dim, poplar::program::Sequence& prog,
                    const poplar::DebugContext& debugContext = {},
                    const poplar::OptionFlags& options = {});
/// Sets each element of `t` to the maximum of itself and the elements of `s` scattered to it, NaN
/// if one of them is. Types as for multiUpdateAdd().
void multiUpdateMax(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                    const poplar::Tensor& offsets, const std::vector<std::size_t>& dims,
                    const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                    const SlicePlan& plan, const poplar::OptionFlags& options,
                    const poplar::DebugContext& debugContext = {});
/// Multiplies `t` by the slices `s`, in order. Types as for multiUpdateAdd().
void multiUpdateMul(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                    const poplar::Tensor& offsets, const std::vector<std::size_t>& dims,
                    const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                    const SlicePlan& plan, const poplar::OptionFlags& options,
                    const poplar::DebugContext& debugContext = {});
/// Sets each element of `t` to the minimum of itself and the elements of `s` scattered to it, NaN
/// if one of them is. Types as for multiUpdateAdd(). PopLibs has no such function.
void multiUpdateMin(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                    const poplar::Tensor& offsets, const std::vector<std::size_t>& dims,
                    const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                    const SlicePlan& plan, const poplar::OptionFlags& options,
                    const poplar::DebugContext& debugContext = {});
void groupedMultiUpdate(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                        const poplar::Tensor& offsets, const std::vector<std::size_t>& dims,
                        const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                        const SlicePlan& plan, const poplar::OptionFlags& options,
                        const poplar::DebugContext& debugContext = {});
void groupedMultiUpdateAdd(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                           const poplar::Tensor& offsets, const poplar::Tensor& scale,
                           const std::vector<std::size_t>& dims,
                           const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                           const SlicePlan& plan, const poplar::OptionFlags& options,
                           const poplar::DebugContext& debugContext = {});
void groupedMultiUpdateMax(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                           const poplar::Tensor& offsets, const std::vector<std::size_t>& dims,
                           const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                           const SlicePlan& plan, const poplar::OptionFlags& options,
                           const poplar::DebugContext& debugContext = {});
void groupedMultiUpdateMul(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                           const poplar::Tensor& offsets, const std::vector<std::size_t>& dims,
                           const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                           const SlicePlan& plan, const poplar::OptionFlags& options,
                           const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
