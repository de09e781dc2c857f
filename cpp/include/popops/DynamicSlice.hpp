// popops/DynamicSlice.hpp: slices of a tensor at places that are known when the program runs.
//
// A slice takes sizes[i] elements of dimension dims[i], from the offset given for it on, and all of
// every other dimension. Offsets are UNSIGNED_INT or INT. A slice that does not lie within the
// tensor as a whole is read as zeros, and not written: no offset reaches other memory.
//
// Offsets, slices or dimensions that do not fit the tensor are a poputil::poplibs_error that says
// what was given.
#ifndef popops_DynamicSlice_hpp
#define popops_DynamicSlice_hpp

#include <cstddef>
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
};

namespace embedding {
/// The plan for tables of `numEntries` rows. All arguments are accepted; none changes it.
SlicePlan plan(const poplar::Graph& graph, const poplar::Type& dataType, std::size_t numEntries,
               std::size_t outputSize, const std::vector<std::size_t>& numLookups,
               const poplar::OptionFlags& options);
SlicePlan plan(const poplar::Graph& graph, const poplar::Type& dataType, std::size_t groupSize,
               std::size_t numEntries, std::size_t outputSize,
               const std::vector<std::size_t>& numLookups, const poplar::OptionFlags& options);
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
/// A new tensor for `numIndices` slices: [numIndices, shape with `sizes` for `dims`].
poplar::Tensor createSliceTensor(poplar::Graph& graph, const poplar::Type& type,
                                 const std::vector<std::size_t>& shape,
                                 const std::vector<std::size_t>& dims,
                                 const std::vector<std::size_t>& sizes, std::size_t numIndices,
                                 const SlicePlan& plan, const poplar::OptionFlags& options,
                                 const poplar::DebugContext& debugContext = {});
/// A new UNSIGNED_INT tensor for the offsets of slices: [numIndices, number of dims].
poplar::Tensor createIndicesTensor(poplar::Graph& graph, const std::vector<std::size_t>& dims,
                                   std::size_t numIndices, const SlicePlan& plan,
                                   const poplar::OptionFlags& options,
                                   const poplar::DebugContext& debugContext = {});

/// One slice: the shape of `t` with `sizes` for `dims`. `offset` is [number of dims].
poplar::Tensor dynamicSlice(poplar::Graph& graph, const poplar::Tensor& t,
                            const poplar::Tensor& offset, const std::vector<std::size_t>& dims,
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
/// Writes the slices `s` into `t`; where slices overlap, the last one stays.
void multiUpdate(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                 const poplar::Tensor& offsets, const std::vector<std::size_t>& dims,
                 const std::vector<std::size_t>& sizes, poplar::program::Sequence& prog,
                 const SlicePlan& plan, const poplar::OptionFlags& options,
                 const poplar::DebugContext& debugContext = {});
/// Adds the slices `s`, times the one element of `scale`, to `t`, in their order. FLOAT, HALF
/// (each sum computed in float), DOUBLE, INT or UNSIGNED_INT, all of one type.
void multiUpdateAdd(poplar::Graph& graph, const poplar::Tensor& t, const poplar::Tensor& s,
                    const poplar::Tensor& offsets, const poplar::Tensor& scale,
                    const std::vector<std::size_t>& dims, const std::vector<std::size_t>& sizes,
                    poplar::program::Sequence& prog, const SlicePlan& plan,
                    const poplar::OptionFlags& options,
                    const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
