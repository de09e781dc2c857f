// popops/DynamicSlice.hpp: slices of a tensor at places that are known when the program runs.
//
// A slice takes sizes[i] elements of dimension dims[i], from the offset given for it on, and all of
// every other dimension. Offsets are UNSIGNED_INT or INT. A slice that does not lie within the
// tensor as a whole is read as zeros, and not written: no offset reaches other memory.
//
// The functions named grouped... do for each index of a first dimension, the group, what the others
// do: `t`, `offsets` and `s` have the group in front, `shape`, `dims` and `sizes` are those of one
// group.
//
// Offsets, slices or dimensions that do not fit the tensor are a poputil::poplibs_error that says
// what was given.
#ifndef popops_DynamicSlice_hpp
#define popops_DynamicSlice_hpp

#include <cstddef>
#include <ostream>
#include <poplar/ArrayRef.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace popops {

/// How a tensor is laid out for its slices. There is one plan here: rows in their order.
class SlicePlan {
 public:
  SlicePlan() = default;

  friend bool operator<(const SlicePlan&, const SlicePlan&) noexcept { return false; }
  friend bool operator==(const SlicePlan&, const SlicePlan&) noexcept { return true; }
  friend bool operator!=(const SlicePlan&, const SlicePlan&) noexcept { return false; }
  friend std::ostream& operator<<(std::ostream& os, const SlicePlan&) { return os << "SlicePlan"; }
};

namespace embedding {
/// The plan for tables of `numEntries` rows. All arguments are accepted; none changes it.
SlicePlan plan(const poplar::Graph& graph, const poplar::Type& dataType, std::size_t numEntries,
               std::size_t outputSize, const std::vector<std::size_t>& numLookups,
               const poplar::OptionFlags& options);
SlicePlan plan(const poplar::Graph& graph, const poplar::Type& dataType, std::size_t groupSize,
               std::size_t numEntries, std::size_t outputSize,
               const std::vector<std::size_t>& numLookups, const poplar::OptionFlags& options);

/// The arguments of plan(), for planMultiple.
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

/// A new tensor to slice, spread evenly over the tiles.
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
/// A new tensor that has `numSlices[i]` slices like `s` along dimension dims[i].
poplar::Tensor createSliceableTensorFromSlice(poplar::Graph& graph, const poplar::Tensor& s,
                                              const std::vector<std::size_t>& dims,
                                              const std::vector<std::size_t>& numSlices,
                                              const poplar::DebugContext& debugContext = {});
/// A new tensor for `numIndices` slices: [numIndices, shape with `sizes` for `dims`].
poplar::Tensor createSliceTensor(poplar::Graph& graph, const poplar::Type& type,
                                 const std::vector<std::size_t>& shape,
                                 const std::vector<std::size_t>& dims,
                                 const std::vector<std::size_t>& sizes, std::size_t numIndices,
                                 const SlicePlan& plan, const poplar::OptionFlags& options,
                                 const poplar::DebugContext& debugContext = {});
/// As above, for slices of `t`.
poplar::Tensor createSliceTensor(poplar::Graph& graph, const poplar::Tensor& t,
                                 const std::vector<std::size_t>& dims,
                                 const std::vector<std::size_t>& sizes, std::size_t numIndices,
                                 const poplar::DebugContext& debugContext = {});
poplar::Tensor createGroupedSliceTensor(
    poplar::Graph& graph, const poplar::Type& type, std::size_t groupSize,
    const std::vector<std::size_t>& shape, const std::vector<std::size_t>& dims,
    const std::vector<std::size_t>& sizes, std::size_t numIndices, const SlicePlan& plan,
    const poplar::OptionFlags& options, const poplar::DebugContext& debugContext = {});
/// A new UNSIGNED_INT tensor for the offsets of slices: [numIndices, number of dims].
poplar::Tensor createIndicesTensor(poplar::Graph& graph, const std::vector<std::size_t>& dims,
                                   std::size_t numIndices, const SlicePlan& plan,
                                   const poplar::OptionFlags& options,
                                   const poplar::DebugContext& debugContext = {});

poplar::Tensor createGroupedIndicesTensor(poplar::Graph& graph, std::size_t groupSize,
                                          const std::vector<std::size_t>& dims,
                                          std::size_t numIndices, const SlicePlan& plan,
                                          const poplar::OptionFlags& options,
                                          const poplar::DebugContext& debugContext = {});

/// One slice: the shape of `t` with `sizes` for `dims`. `offset` is [number of dims].
poplar::Tensor dynamicSlice(poplar::Graph& graph, const poplar::Tensor& t,
                            const poplar::Tensor& offset, const std::vector<std::size_t>& dims,
                            const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                            const poplar::DebugContext& debugContext = {},
                            const poplar::OptionFlags& options = {});
/// A new tensor for dynamicSliceWithOutput.
poplar::Tensor createDynamicSliceOutput(poplar::Graph& graph, const poplar::Tensor& t,
                                        const poplar::Tensor& offset,
                                        const std::vector<std::size_t>& dims,
                                        const std::vector<std::size_t>& sizes,
                                        const poplar::DebugContext& debugContext = {},
                                        const poplar::OptionFlags& options = {});
/// dynamicSlice into a tensor that is there.
void dynamicSliceWithOutput(poplar::Graph& graph, const poplar::Tensor& output,
                            const poplar::Tensor& t, const poplar::Tensor& offset,
                            const std::vector<std::size_t>& dims,
                            const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                            const poplar::DebugContext& debugContext = {},
                            const poplar::OptionFlags& options = {});
/// Writes one slice `s` into `t`.
void dynamicUpdate(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                   const poplar::Tensor& offset, const std::vector<std::size_t>& dims,
                   const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                   const poplar::DebugContext& debugContext = {},
                   const poplar::OptionFlags& options = {});

/// Many slices: [number of slices, shape of `t` with `sizes` for `dims`]. `offsets` is [number of
/// slices, number of dims].
poplar::Tensor multiSlice(poplar::Graph& graph, const poplar::Tensor& t,
                          const poplar::Tensor& offsets, const std::vector<std::size_t>& dims,
                          const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                          const SlicePlan& plan, const poplar::OptionFlags& options,
                          const poplar::DebugContext& debugContext = {});
/// Slices of one element along dimension `dim`, at offsets that are known.
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
/// Writes the slices `s` into `t`; where slices overlap, the last one stays.
void multiUpdate(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                 const poplar::Tensor& offsets, const std::vector<std::size_t>& dims,
                 const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                 const SlicePlan& plan, const poplar::OptionFlags& options,
                 const poplar::DebugContext& debugContext = {});
/// Adds the slices `s`, times the one element of `scale`, to `t`, in their order. FLOAT, HALF
/// (each sum computed in float), DOUBLE, INT or UNSIGNED_INT, all of one type; with HALF slices the
/// scale may be FLOAT.
void multiUpdateAdd(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                    const poplar::Tensor& offsets, const poplar::Tensor& scale,
                    const std::vector<std::size_t>& dims, const std::vector<std::size_t>& sizes,
                    poplar::program::Sequence& prog, const SlicePlan& plan,
                    const poplar::OptionFlags& options,
                    const poplar::DebugContext& debugContext = {});
/// As above, for slices of one element along dimension `dim`, at offsets that are known.
void multiUpdateAdd(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                    poplar::ArrayRef<unsigned> offsets, const poplar::Tensor& scale,
                    std::size_t dim, poplar::program::Sequence& prog,
                    const poplar::DebugContext& debugContext = {},
                    const poplar::OptionFlags& options = {});
/// Makes each element of `t` the larger of itself and of what the slices `s` have there. Of the
/// types of multiUpdateAdd.
void multiUpdateMax(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                    const poplar::Tensor& offsets, const std::vector<std::size_t>& dims,
                    const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                    const SlicePlan& plan, const poplar::OptionFlags& options,
                    const poplar::DebugContext& debugContext = {});
/// Multiplies `t` by the slices `s`, in their order. Of the types of multiUpdateAdd.
void multiUpdateMul(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
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
