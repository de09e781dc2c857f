// popart/popx/op/sliceplanx.hpp: plans for slices, and tensors laid out for them.
#ifndef popart_popx_op_sliceplanx_hpp
#define popart_popx_op_sliceplanx_hpp

#include <popart/tensorinfo.hpp>
#include <popart/vendored/optional.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <popops/DynamicSlice.hpp>

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

/// A tensor to slice along `axis`, of the info's shape.
poplar::Tensor createDataTensor(poplar::Graph& graph, const TensorInfo& dataInfo,
                                const popops::SlicePlan& plan, unsigned axis,
                                const poplar::DebugNameAndId& dnai);
/// Indices of the info's shape and type.
poplar::Tensor createIndicesTensor(poplar::Graph& graph, const TensorInfo& indicesInfo,
                                   const popops::SlicePlan& plan,
                                   const poplar::DebugNameAndId& dnai);

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
