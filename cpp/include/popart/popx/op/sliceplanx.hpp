// popart/popx/op/sliceplanx.hpp: plans for slices, and tensors laid out for them.
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

/// Options for createSlicePlan.
poplar::OptionFlags createSlicePlanOptions(
    SlicePlanUsedFor usedFor, nonstd::optional<float> availableMemoryProportion = nonstd::nullopt);

/// For slices of 1 along `axis`, 0 if none is given.
popops::SlicePlan createSlicePlan(const poplar::Graph& graph, const TensorInfo& sliceableInfo,
                                  const TensorInfo& indicesInfo, const poplar::OptionFlags& options,
                                  nonstd::optional<std::size_t> axis = nonstd::nullopt,
                                  std::size_t groupSize = 1);

// Tensors laid out for a plan. Groups are rows of their own: of the data along its first dimension,
// which `axis` then is not, and so of the indices. `broadcasted` says that the indices name single
// elements, as scatters have them, and have the shape of what is read or written; else they name
// slices.

/// A tensor to slice along `axis`, of the info's shape.
poplar::Tensor createDataTensor(poplar::Graph& graph, const TensorInfo& dataInfo,
                                const popops::SlicePlan& plan, unsigned axis, unsigned groupSize,
                                bool broadcasted, const poplar::DebugNameAndId& dnai);
/// Slices to write: the data's shape with as many entries along `axis` as there are lookups, which
/// are the greater of the data's and the indices' dimension; of the indices' shape if broadcasted.
poplar::Tensor createUpdateTensor(poplar::Graph& graph, const TensorInfo& dataInfo,
                                  const TensorInfo& indicesInfo, const popops::SlicePlan& plan,
                                  unsigned axis, unsigned groupSize, bool broadcasted,
                                  const poplar::DebugNameAndId& dnai);
/// Indices of the info's shape and type.
poplar::Tensor createIndicesTensor(poplar::Graph& graph, const TensorInfo& indicesInfo,
                                   const popops::SlicePlan& plan, unsigned axis, unsigned groupSize,
                                   bool broadcasted, const poplar::DebugNameAndId& dnai);
/// Of a tensor whose first dimension (whose second, with groups) is `axis` of `shape` and whose
/// others follow in their order: one of that shape.
poplar::Tensor alignToAxis(const poplar::Tensor& input, const Shape& shape, unsigned axis,
                           unsigned groupSize);

// The same for PopOpx, as SDK 2.3 to 2.6 (without `broadcasted`), 3.0 and 3.1 have them.

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
