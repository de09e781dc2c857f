// Helpers shared by the lowerings of gathers and updates.
#include <popart/popx/devicex.hpp>
#include <popart/popx/op/gatherx.hpp>
#include <popart/popx/op/sliceplanx.hpp>

#include <algorithm>

namespace popart {
namespace popx {

poplar::OptionFlags createSlicePlanOptions(SlicePlanUsedFor usedFor,
                                           nonstd::optional<float> availableMemoryProportion) {
  poplar::OptionFlags options;
  const bool slices = usedFor == SlicePlanUsedFor::Slice;
  const bool both = usedFor == SlicePlanUsedFor::CombinedSliceUpdate;
  options.set("usedForSlice", slices || both ? "true" : "false");
  options.set("usedForUpdate", slices ? "false" : "true");
  static const std::pair<SlicePlanUsedFor, const char*> operations[] = {
      {SlicePlanUsedFor::Update, "none"},
      {SlicePlanUsedFor::UpdateAdd, "add"},
      {SlicePlanUsedFor::CombinedSliceUpdate, "none"},
      {SlicePlanUsedFor::UpdateMax, "max"},
      {SlicePlanUsedFor::UpdateMul, "mul"}};
  for (const auto& o : operations)
    if (o.first == usedFor) options.set("operationForUpdate", o.second);
  if (availableMemoryProportion)
    options.set("availableMemoryProportion", std::to_string(*availableMemoryProportion));
  return options;
}

popops::SlicePlan createSlicePlan(const poplar::Graph& graph, const TensorInfo& sliceableInfo,
                                  const TensorInfo& indicesInfo, const poplar::OptionFlags& options,
                                  nonstd::optional<std::size_t> axis, std::size_t groupSize) {
  const std::size_t entries =
      static_cast<std::size_t>(sliceableInfo.dim(static_cast<int>(axis.value_or(0))));
  const std::size_t all = static_cast<std::size_t>(sliceableInfo.nelms());
  const std::size_t rest = entries * groupSize == 0 ? 0 : all / (entries * groupSize);
  const std::size_t lookups = static_cast<std::size_t>(indicesInfo.nelms()) / groupSize;
  return popops::embedding::plan(graph, popType(sliceableInfo), groupSize, entries, rest, {lookups},
                                 options);
}

namespace {

/// Number of slices in one group of a tensor, and elements per slice.
struct Slices {
  Slices(const TensorInfo& info, unsigned axis, unsigned groupSize, bool single)
      : count(single ? static_cast<std::size_t>(info.nelms()) / groupSize
                     : info.shape_szt().at(axis)),
        size(1) {
    if (!single && count != 0) size = static_cast<std::size_t>(info.nelms()) / count / groupSize;
  }
  std::size_t count;
  std::size_t size;
};

}  // namespace

poplar::Tensor createDataTensor(poplar::Graph& graph, const TensorInfo& dataInfo,
                                const popops::SlicePlan& plan, unsigned axis, unsigned groupSize,
                                bool broadcasted, const poplar::DebugNameAndId& dnai) {
  const Slices slices(dataInfo, axis, groupSize, broadcasted);
  const std::vector<std::size_t> shape = {slices.count, slices.size};
  const poplar::Type type = popType(dataInfo);
  const poplar::Tensor made =
      groupSize > 1 ? popops::createGroupedSliceableTensor(graph, type, groupSize, shape, {0}, {1},
                                                           plan, {}, dnai)
                    : popops::createSliceableTensor(graph, type, shape, {0}, {1}, plan, {}, dnai);
  return alignToAxis(made, dataInfo.shape(), axis, groupSize);
}

poplar::Tensor createUpdateTensor(poplar::Graph& graph, const TensorInfo& dataInfo,
                                  const TensorInfo& indicesInfo, const popops::SlicePlan& plan,
                                  unsigned axis, unsigned groupSize, bool broadcasted,
                                  const poplar::DebugNameAndId& dnai) {
  const Slices slices(dataInfo, axis, groupSize, broadcasted);
  const std::vector<std::size_t> shape = {slices.count, slices.size};
  Shape updated = indicesInfo.shape();
  std::size_t lookups = static_cast<std::size_t>(indicesInfo.nelms()) / groupSize;
  if (!broadcasted) {
    updated = dataInfo.shape();
    // Indices with fewer dimensions than the data are a list of slices, or one list per group.
    lookups = std::max(
        updated.size() == indicesInfo.shape().size() ? indicesInfo.shape_szt().at(axis) : lookups,
        slices.count);
    updated[axis] = static_cast<int64_t>(lookups);
  }
  const poplar::Type type = popType(dataInfo);
  const poplar::Tensor made =
      groupSize > 1
          ? popops::createGroupedSliceTensor(graph, type, groupSize, shape, {0}, {1}, lookups, plan,
                                             {}, dnai)
          : popops::createSliceTensor(graph, type, shape, {0}, {1}, lookups, plan, {}, dnai);
  return alignToAxis(made, updated, axis, groupSize);
}

poplar::Tensor createIndicesTensor(poplar::Graph& graph, const TensorInfo& indicesInfo,
                                   const popops::SlicePlan& plan, unsigned axis, unsigned groupSize,
                                   bool broadcasted, const poplar::DebugNameAndId& dnai) {
  const std::size_t lookups = static_cast<std::size_t>(indicesInfo.nelms()) / groupSize;
  const poplar::Tensor made =
      (groupSize > 1
           ? popops::createGroupedIndicesTensor(graph, groupSize, {0}, lookups, plan, {}, dnai)
           : popops::createIndicesTensor(graph, {0}, lookups, plan, {}, dnai))
          .reinterpret(popType(indicesInfo));
  return broadcasted ? alignToAxis(made, indicesInfo.shape(), axis, groupSize)
                     : made.reshape(indicesInfo.shape_szt());
}

poplar::Tensor alignToAxis(const poplar::Tensor& input, const Shape& shape, unsigned axis,
                           unsigned groupSize) {
  const unsigned first = groupSize > 1 ? 1 : 0;
  std::vector<std::size_t> rolled(shape.begin(), shape.end());
  const std::size_t entries = rolled.at(axis);
  rolled.erase(rolled.begin() + axis);
  rolled.insert(rolled.begin() + first, entries);
  return input.reshape(rolled).dimRoll(first, axis);
}

namespace {

/// Moves the `count` dimensions from `first` on to position `to`; to < first.
poplar::Tensor toFront(const poplar::Tensor& tensor, unsigned first, unsigned count, unsigned to) {
  std::vector<unsigned> order;
  for (unsigned d = 0; d < to; ++d) order.push_back(d);
  for (unsigned d = first; d < first + count; ++d) order.push_back(d);
  for (unsigned d = to; d < tensor.rank(); ++d)
    if (d < first || d >= first + count) order.push_back(d);
  return tensor.dimShuffle(order);
}

/// \throws error unless all tensors have `groupSize` groups, and the axis is within a group
void checkGroups(const poplar::Tensor& target, const poplar::Tensor& update,
                 const poplar::Tensor& indices, int64_t axis, int64_t groupSize) {
  const int64_t lead = groupSize > 1 ? 1 : 0;
  bool fits = groupSize > 0 && axis >= lead && axis < static_cast<int64_t>(target.rank());
  for (const poplar::Tensor* t : {&target, &update, &indices})
    fits = fits && (lead == 0 || (t->rank() > 0 && static_cast<int64_t>(t->dim(0)) == groupSize));
  if (fits) return;
  throw error(
      "GatherGradOpx::handleNDMultiUpdate: the target is {}, the update {}, the indices {}, the "
      "axis {}, the group size {}; give the number of groups, which is the first dimension of all "
      "three where it is not 1, and an axis after it",
      target.shapeToString(), update.shapeToString(), indices.shapeToString(), axis, groupSize);
}

}  // namespace

std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor> GatherGradOpx::handleNDMultiUpdate(
    poplar::Tensor target, poplar::Tensor update, poplar::Tensor indices, int64_t axis,
    int64_t groupSize) {
  checkGroups(target, update, indices, axis, groupSize);
  const unsigned at = static_cast<unsigned>(axis), lead = groupSize > 1 ? 1 : 0;
  const std::size_t groups = static_cast<std::size_t>(groupSize);
  const std::size_t lookups = indices.numElements() / groups;
  const std::size_t entries = target.dim(at);
  const std::size_t rest = entries == 0 ? 0 : target.numElements() / groups / entries;
  const auto shaped = [&](const poplar::Tensor& tensor, std::vector<std::size_t> shape) {
    if (lead > 0) shape.insert(shape.begin(), groups);
    return tensor.reshape(shape);
  };
  return std::make_tuple(
      shaped(toFront(target, at, 1, lead), {entries, rest}),
      shaped(toFront(update, at, indices.rank() - lead, lead), {lookups, 1, rest}),
      shaped(indices.reinterpret(poplar::UNSIGNED_INT), {lookups, 1}));
}

}  // namespace popx
}  // namespace popart
