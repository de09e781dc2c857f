// Plans of slices, and tensors with suitable layouts.
// After popart/popx/op/sliceplanx.hpp of PopART 3.
#ifndef popart_popx_op_sliceplanx_hpp
#define popart_popx_op_sliceplanx_hpp

#include <popart/tensorinfo.hpp>
#include <popart/vendored/optional.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <popops/DynamicSlice.hpp>
#include <snap/Graph.hpp>
#include <snap/Tensor.hpp>

#include <cstddef>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

enum class SlicePlanUsedFor {
  Slice = 0,
  Update,
  UpdateAdd,
  UpdateMax,
  UpdateMul,
  CombinedSliceUpdate
};

/// The options for createSlicePlan().
poplar::OptionFlags createSlicePlanOptions(
    SlicePlanUsedFor usedFor, nonstd::optional<float> availableMemoryProportion = nonstd::nullopt);

/// A plan for slices of size 1 along `axis`, or along 0 if no axis is given.
popops::SlicePlan createSlicePlan(const poplar::Graph& graph, const TensorInfo& sliceableInfo,
                                  const TensorInfo& indicesInfo, const poplar::OptionFlags& options,
                                  nonstd::optional<std::size_t> axis = nonstd::nullopt,
                                  std::size_t groupSize = 1);

// Tensors with a layout for a plan. With several groups, the first dimension of data and indices is
// the group, and `axis` must be another one. With `broadcasted`, as for scatters, the indices
// address single elements and have the shape of the slices read or written. Otherwise they address
// whole slices.

/// Creates a tensor to slice along `axis`, with the shape of `dataInfo`.
poplar::Tensor createDataTensor(poplar::Graph& graph, const TensorInfo& dataInfo,
                                const popops::SlicePlan& plan, unsigned axis, unsigned groupSize,
                                bool broadcasted, const poplar::DebugNameAndId& dnai);
/// Creates the slices to write. Their shape is the shape of the data, with the number of lookups
/// along `axis`: the larger of the sizes of data and indices in this dimension. If `broadcasted`,
/// they have the shape of the indices.
poplar::Tensor createUpdateTensor(poplar::Graph& graph, const TensorInfo& dataInfo,
                                  const TensorInfo& indicesInfo, const popops::SlicePlan& plan,
                                  unsigned axis, unsigned groupSize, bool broadcasted,
                                  const poplar::DebugNameAndId& dnai);
/// Creates indices with the shape and type of `indicesInfo`.
poplar::Tensor createIndicesTensor(poplar::Graph& graph, const TensorInfo& indicesInfo,
                                   const popops::SlicePlan& plan, unsigned axis, unsigned groupSize,
                                   bool broadcasted, const poplar::DebugNameAndId& dnai);
/// Moves dimension 0 of `input` (1 with several groups) to position `axis`. The result has the
/// shape `shape`.
poplar::Tensor alignToAxis(const poplar::Tensor& input, const Shape& shape, unsigned axis,
                           unsigned groupSize);

// The same for PopOpx. `broadcasted` exists in SDK 3.0 and 3.1 only, not in 2.3 to 2.6.

inline popops::SlicePlan createSlicePlan(const snap::Graph& graph, const TensorInfo& sliceableInfo,
                                         const TensorInfo& indicesInfo,
                                         const poplar::OptionFlags& options,
                                         nonstd::optional<std::size_t> axis = nonstd::nullopt) {
  return createSlicePlan(graph.getPoplarGraph(), sliceableInfo, indicesInfo, options, axis);
}
inline snap::Tensor createDataTensor(snap::Graph& graph, const TensorInfo& dataInfo,
                                     const popops::SlicePlan& plan, unsigned axis, bool broadcasted,
                                     const poplar::DebugNameAndId& dnai) {
  return {createDataTensor(graph.getPoplarGraph(), dataInfo, plan, axis, 1, broadcasted, dnai),
          graph};
}
inline snap::Tensor createDataTensor(snap::Graph& graph, const TensorInfo& dataInfo,
                                     const popops::SlicePlan& plan, unsigned axis,
                                     const poplar::DebugNameAndId& dnai) {
  return createDataTensor(graph, dataInfo, plan, axis, false, dnai);
}
inline snap::Tensor createUpdateTensor(snap::Graph& graph, const TensorInfo& dataInfo,
                                       const TensorInfo& indicesInfo, const popops::SlicePlan& plan,
                                       unsigned axis, bool broadcasted,
                                       const poplar::DebugNameAndId& dnai) {
  return {createUpdateTensor(graph.getPoplarGraph(), dataInfo, indicesInfo, plan, axis, 1,
                             broadcasted, dnai),
          graph};
}
inline snap::Tensor createUpdateTensor(snap::Graph& graph, const TensorInfo& dataInfo,
                                       const TensorInfo& indicesInfo, const popops::SlicePlan& plan,
                                       unsigned axis, const poplar::DebugNameAndId& dnai) {
  return createUpdateTensor(graph, dataInfo, indicesInfo, plan, axis, false, dnai);
}
inline snap::Tensor createIndicesTensor(snap::Graph& graph, const TensorInfo& indicesInfo,
                                        const popops::SlicePlan& plan, unsigned axis,
                                        bool broadcasted, const poplar::DebugNameAndId& dnai) {
  return {
      createIndicesTensor(graph.getPoplarGraph(), indicesInfo, plan, axis, 1, broadcasted, dnai),
      graph};
}
inline snap::Tensor createIndicesTensor(snap::Graph& graph, const TensorInfo& indicesInfo,
                                        const popops::SlicePlan& plan, unsigned axis,
                                        const poplar::DebugNameAndId& dnai) {
  return createIndicesTensor(graph, indicesInfo, plan, axis, false, dnai);
}
inline snap::Tensor alignToAxis(const snap::Tensor& input, const Shape& shape, unsigned axis) {
  return {alignToAxis(input.getPoplarTensor(), shape, axis, 1), *input.graph()};
}

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
