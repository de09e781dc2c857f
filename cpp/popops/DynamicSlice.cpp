#include <popops/DynamicSlice.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cstdint>

#include "kernels/half.hpp"
#include "kernels/movement/slices.hpp"
#include "machine/slices/planner.hpp"
#include "poplar/bulk_vertex.hpp"
#include "poplar/library_options.hpp"
#include "poplar/sliceable.hpp"
#include "poplar/tile_mapping.hpp"
#include "popops/slice_plan.hpp"

namespace popops {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using Sizes = std::vector<std::size_t>;

std::string listed(const Sizes& sizes) {
  std::string text;
  for (const std::size_t n : sizes) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return "{" + text + "}";
}

/// \throws poputil::poplibs_error unless `dims` are distinct dimensions of `shape`, and `sizes` are
/// within their sizes
void checkDims(const char* who, const Sizes& shape, const Sizes& dims, const Sizes& sizes) {
  bool fits = dims.size() == sizes.size() && !dims.empty();
  for (std::size_t i = 0; fits && i < dims.size(); ++i)
    fits = dims[i] < shape.size() && sizes[i] <= shape[dims[i]] &&
           std::count(dims.begin(), dims.end(), dims[i]) == 1;
  if (!fits)
    throw poputil::poplibs_error(std::string("popops::") + who + ": of a tensor " + listed(shape) +
                                 ", slices of the sizes " + listed(sizes) + " of the dimensions " +
                                 listed(dims) +
                                 " were asked for; give each dimension once, with a size that is "
                                 "at most its own");
}

/// Moves the sliced dimensions of `t` to the front, in the order of `dims`.
Tensor slicedFirst(const Tensor& t, const Sizes& dims, std::size_t kept = 0) {
  std::vector<unsigned> order;
  for (std::size_t d = 0; d < kept; ++d) order.push_back(static_cast<unsigned>(d));
  for (const std::size_t d : dims) order.push_back(static_cast<unsigned>(d + kept));
  for (unsigned d = static_cast<unsigned>(kept); d < t.rank(); ++d)
    if (std::find(dims.begin(), dims.end(), d - kept) == dims.end()) order.push_back(d);
  return t.dimShuffle(order);
}

/// The shape of one slice.
Sizes sliceShape(Sizes shape, const Sizes& dims, const Sizes& sizes) {
  for (std::size_t i = 0; i < dims.size(); ++i) shape[dims[i]] = sizes[i];
  return shape;
}

void checkOffsets(const char* who, const Tensor& offsets, const Sizes& dims) {
  const auto type = offsets.elementType();
  if ((type != poplar::UNSIGNED_INT && type != poplar::INT) || offsets.rank() != 2 ||
      offsets.dim(1) != dims.size())
    throw poputil::poplibs_error(std::string("popops::") + who + ": the offsets are " +
                                 type.toString() + " " + offsets.shapeToString() +
                                 "; give UNSIGNED_INT or INT [slices, " +
                                 std::to_string(dims.size()) + "]");
}

/// The shape of one slice per row of offsets.
/// \throws poputil::poplibs_error if the offsets do not match the tensor
Sizes slicesShape(const char* who, const Tensor& t, const Tensor& offsets, const Sizes& dims,
                  const Sizes& sizes) {
  checkDims(who, t.shape(), dims, sizes);
  checkOffsets(who, offsets, dims);
  Sizes shape = sliceShape(t.shape(), dims, sizes);
  shape.insert(shape.begin(), offsets.dim(0));
  return shape;
}

Tensor linear(Graph& graph, const poplar::Type& type, const Sizes& shape,
              const DebugContext& debugContext) {
  return graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, debugContext);
}

/// The tile on which the columns of a tensor begin that is made for slices. Tensors that are made
/// for the same slices begin on the same tile.
unsigned firstTile(const Graph& graph, const Sizes& shape, const Sizes& dims, const Sizes& sizes) {
  std::vector<std::uint64_t> numbers;
  for (const auto* list : {&shape, &dims, &sizes})
    numbers.insert(numbers.end(), list->begin(), list->end());
  return static_cast<unsigned>(popir::hashOf(numbers) % graph.getTarget().getNumTiles());
}

/// A tensor for slices, [numIndices, shape with `sizes` in the dimensions `dims`]: each column where
/// a tensor has it that is made for these slices.
Tensor slicesTensor(Graph& graph, const poplar::Type& type, const Sizes& shape, const Sizes& dims,
                    const Sizes& sizes, std::size_t numIndices, const DebugContext& debugContext) {
  Sizes made = sliceShape(shape, dims, sizes), sliced = {0};
  made.insert(made.begin(), numIndices);
  for (const std::size_t d : dims) sliced.push_back(d + 1);
  return popir::addSliceable(graph, type, made, sliced, 0, firstTile(graph, shape, dims, sizes),
                             debugContext);
}

/// The sizes of `slices` planned slices of a tensor of `shape`. Where `dims` are two the first one is
/// that of groups.
/// \throws poputil::poplibs_error unless all groups have as many
popir::SliceSizes sizesOf(const char* who, const poplar::Type& type, const Sizes& shape,
                          const Sizes& dims, std::size_t slices) {
  const std::size_t groups = dims.size() == 2 ? shape[dims[0]] : 1;
  if (slices % groups != 0)
    throw poputil::poplibs_error(std::string("popops::") + who + ": the plan is for " +
                                 std::to_string(groups) + " groups, and there are " +
                                 std::to_string(slices) +
                                 " slices; give as many of each group, or SlicePlan()");
  popir::SliceSizes sizes{type, groups, shape[dims.back()], 1, slices / groups};
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (std::count(dims.begin(), dims.end(), d) == 0) sizes.size *= shape[d];
  return sizes;
}

/// A tensor of `shape` on the tiles of a plan: `grid` is of [groups, the dimension before the
/// others..., the elements of these].
Tensor onGrid(Graph& graph, const poplar::Type& type, const Sizes& shape, const Sizes& dims,
              const popir::Grid& grid, const DebugContext& debugContext) {
  Sizes memory;
  std::vector<unsigned> back(shape.size());
  const auto put = [&](std::size_t d) {
    back[d] = static_cast<unsigned>(memory.size());
    memory.push_back(shape[d]);
  };
  for (const std::size_t d : dims) put(d);
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (std::count(dims.begin(), dims.end(), d) == 0) put(d);
  const Tensor made = graph.addVariable(type, memory, debugContext);
  if (made.numElements() > 0) popir::mapByGrid(graph, made, grid);
  return made.dimShuffle(back);
}

/// A tensor for slices, as slicesTensor(), on the tiles of a plan. `lookups` of each group follow one
/// another.
Tensor plannedSlicesTensor(const char* who, Graph& graph, const poplar::Type& type,
                           const Sizes& shape, const Sizes& dims, const Sizes& sizes,
                           std::size_t numIndices, const popir::PlannedSlices& planned,
                           const DebugContext& debugContext) {
  const auto of = sizesOf(who, type, shape, dims, numIndices);
  Sizes made = sliceShape(shape, dims, sizes);
  made.insert(made.begin(), numIndices);
  return onGrid(graph, type, made, {0}, popir::slicesGrid(planned, of), debugContext);
}

/// The elements of a tensor of `count` that a mapping has not.
std::vector<poplar::Interval> without(std::size_t count,
                                      const Graph::TileToTensorMapping& mapping) {
  std::vector<poplar::Interval> mapped, rest;
  for (const auto& regions : mapping) mapped.insert(mapped.end(), regions.begin(), regions.end());
  std::sort(mapped.begin(), mapped.end());
  mapped.emplace_back(count, count);
  std::size_t at = 0;
  for (const poplar::Interval& each : mapped) {
    if (each.begin() > at) rest.emplace_back(at, each.begin());
    at = std::max(at, each.end());
  }
  return rest;
}

Tensor slices(const char* who, Graph& graph, const Tensor& t, const Tensor& offsets,
              const Sizes& dims, const Sizes& sizes, Sequence& prog,
              const std::optional<popir::PlannedSlices>& planned,
              const DebugContext& debugContext) {
  const Sizes shape = slicesShape(who, t, offsets, dims, sizes);
  std::optional<popir::SliceSizes> of;
  if (planned) of = sizesOf(who, t.elementType(), t.shape(), dims, offsets.dim(0));
  // Allocate in the kernel's dimension order, and return a view in the caller's order.
  const Tensor first = slicedFirst(t, dims);
  Sizes memory = first.shape();
  std::copy(sizes.begin(), sizes.end(), memory.begin());
  memory.insert(memory.begin(), offsets.dim(0));
  // Each column stays where it is, if a tile has all of it.
  const auto columns = planned ? std::nullopt : popir::columnsOf(*graph.impl(), first, dims.size());
  const Tensor made = columns || planned
                          ? graph.addVariable(t.elementType(), memory, {debugContext, who})
                          : linear(graph, t.elementType(), memory, {debugContext, who});
  if (columns)
    popir::setGrid(graph, made, popir::slicesOf(*columns, made.view().shape(), dims.size() + 1));
  if (planned && made.numElements() > 0)
    popir::mapByGrid(graph, made, popir::slicesGrid(*planned, *of));
  popir::addBulkVertex(
      graph, prog, std::make_shared<popir::SlicesKernel>(popir::SlicesKind::Read, planned),
      {{first, popir::Access::Read}, {offsets, popir::Access::Read}, {made, popir::Access::Write}},
      {debugContext, who});
  std::vector<unsigned> back(shape.size(), 0);
  unsigned next = static_cast<unsigned>(dims.size()) + 1;
  for (unsigned d = 1; d < back.size(); ++d) {
    const auto found = std::find(dims.begin(), dims.end(), d - 1);
    back[d] = found == dims.end() ? next++ : static_cast<unsigned>(found - dims.begin()) + 1;
  }
  return made.dimShuffle(back);
}

/// \throws poputil::poplibs_error unless the type of `t` supports arithmetic, and `scale`, if any,
/// matches it
void checkComputed(const char* who, const Tensor& t, const Tensor* scale) {
  const poplar::Type type = t.elementType();
  const bool fits =
      scale == nullptr || (scale->numElements() == 1 &&
                           (scale->elementType() == type ||
                            (popir::isHalf(type) && scale->elementType() == poplar::FLOAT)));
  if (popir::SlicesKernel::computes(type) && fits) return;
  std::string text = std::string("popops::") + who + ": the tensor is " + type.toString();
  if (scale != nullptr)
    text += ", the scale " + scale->elementType().toString() + " " + scale->shapeToString();
  text += "; give FLOAT, HALF, BFLOAT16, DOUBLE or an integer of 32 or 64 bits";
  if (scale != nullptr) text += " and one element of the same type";
  throw poputil::poplibs_error(text);
}

/// How a kind of update combines slices with the tensor. PopLibs has no minimum; it takes what a
/// maximum does.
std::optional<popops::Operation> operationOf(popir::SlicesKind kind) {
  switch (kind) {
    case popir::SlicesKind::Add: return Operation::ADD;
    case popir::SlicesKind::Mul: return Operation::MUL;
    case popir::SlicesKind::Max:
    case popir::SlicesKind::Min: return Operation::MAX;
    default: return {};
  }
}

void update(const char* who, popir::SlicesKind kind, Graph& graph, const Tensor& t, const Tensor& s,
            const Tensor& offsets, const Tensor* scale, const Sizes& dims, const Sizes& sizes,
            Sequence& prog, std::optional<popir::PlannedSlices> planned,
            const DebugContext& debugContext) {
  if (planned) {
    planned->use.operation = operationOf(kind);
    popir::checkPartials((std::string("popops::") + who).c_str(), planned->use, t.elementType());
    if (planned->split.searches && !planned->use.sorted)
      throw poputil::poplibs_error(std::string("popops::") + who +
                                   ": the plan is for offsets in ascending order; set the option "
                                   "indicesAreSorted here, too, or make a plan without it");
  }
  if (planned && kind == popir::SlicesKind::Write && planned->split.lookups > 1)
    throw poputil::poplibs_error(
        std::string("popops::") + who +
        ": the plan splits lookups, whose slices nothing combines here; make the plan with "
        "operationForUpdate none");
  if (kind != popir::SlicesKind::Write) checkComputed(who, t, scale);
  const Sizes shape = slicesShape(who, t, offsets, dims, sizes);
  if (planned) static_cast<void>(sizesOf(who, t.elementType(), t.shape(), dims, offsets.dim(0)));
  if (s.shape() != shape || s.elementType() != t.elementType())
    throw poputil::poplibs_error(
        std::string("popops::") + who + ": the slices are " + s.elementType().toString() + " " +
        s.shapeToString() + " where the tensor is " + t.elementType().toString() + " " +
        t.shapeToString() + "; give " + t.elementType().toString() + " " + listed(shape));
  std::vector<popir::BulkOperand> operands = {{slicedFirst(t, dims), popir::Access::ReadWrite},
                                              {slicedFirst(s, dims, 1), popir::Access::Read},
                                              {offsets, popir::Access::Read}};
  if (scale != nullptr) operands.push_back({scale->flatten(), popir::Access::Read});
  popir::addBulkVertex(graph, prog, std::make_shared<popir::SlicesKernel>(kind, std::move(planned)),
                       std::move(operands), {debugContext, who});
}

/// A tensor [numSlices..., shape of `s`]. Each slice lies where `s` does; what lies nowhere is spread
/// over the tiles.
Tensor slicesLike(Graph& graph, const Tensor& s, const Sizes& numSlices,
                  const DebugContext& debugContext) {
  Sizes memory = numSlices;
  const Sizes shape = s.shape();
  memory.insert(memory.end(), shape.begin(), shape.end());
  const Tensor made = graph.addVariable(s.elementType(), memory, debugContext);
  auto mapping = graph.getTileMapping(s, false);
  const auto nowhere = without(s.numElements(), mapping);
  const std::size_t size = s.numElements(), count = size ? made.numElements() / size : 0;
  const auto ofEachSlice = [&](const std::vector<poplar::Interval>& regions) {
    std::vector<poplar::Interval> all;
    for (std::size_t i = 0; i < count; ++i)
      for (const poplar::Interval& each : regions)
        all.emplace_back(i * size + each.begin(), i * size + each.end());
    return all;
  };
  for (auto& regions : mapping) regions = ofEachSlice(regions);
  graph.setTileMapping(made, mapping);
  if (!nowhere.empty())
    poputil::mapTensorLinearly(graph, concat(made.flatten().slices(ofEachSlice(nowhere))));
  return made;
}

}  // namespace

Tensor createSliceableTensor(Graph& graph, const poplar::Type& type, const Sizes& shape,
                             const Sizes& dims, const Sizes& sizes, std::size_t minGrainSize,
                             const DebugContext& debugContext) {
  const DebugContext context(debugContext, "sliceable");
  if (dims.empty()) return linear(graph, type, shape, context);
  checkDims("createSliceableTensor", shape, dims, sizes);
  return popir::addSliceable(graph, type, shape, dims, minGrainSize,
                             firstTile(graph, shape, dims, sizes), context);
}

Tensor createSliceableTensor(Graph& graph, const poplar::Type& type, const Sizes& shape,
                             const Sizes& dims, const Sizes& sizes, const SlicePlan& plan,
                             const OptionFlags& options, const DebugContext& debugContext) {
  const char* const who = "createSliceableTensor";
  const auto planned = popir::plannedSlices(who, plan, shape, dims, sizes, options);
  if (!planned) return createSliceableTensor(graph, type, shape, dims, sizes, 0, debugContext);
  checkDims(who, shape, dims, sizes);
  const auto grid =
      popir::tableGrid(graph.getTarget().spec(), *planned, sizesOf(who, type, shape, dims, 0));
  return onGrid(graph, type, shape, dims, grid, {debugContext, "sliceable"});
}

Tensor createSliceTensor(Graph& graph, const poplar::Type& type, const Sizes& shape,
                         const Sizes& dims, const Sizes& sizes, std::size_t numIndices,
                         const SlicePlan& plan, const OptionFlags& options,
                         const DebugContext& debugContext) {
  const char* const who = "createSliceTensor";
  const auto planned = popir::plannedSlices(who, plan, shape, dims, sizes, options);
  checkDims(who, shape, dims, sizes);
  if (planned)
    return plannedSlicesTensor(who, graph, type, shape, dims, sizes, numIndices, *planned,
                               {debugContext, "slices"});
  return slicesTensor(graph, type, shape, dims, sizes, numIndices, {debugContext, "slices"});
}

Tensor createSliceableTensorFromSlice(Graph& graph, const Tensor& s, const Sizes& dims,
                                      const Sizes& numSlices, const DebugContext& debugContext) {
  if (numSlices.size() != dims.size())
    throw poputil::poplibs_error("popops::createSliceableTensorFromSlice: the dimensions " +
                                 listed(dims) + " and the numbers " + listed(numSlices) +
                                 " were given; give one number for each dimension");
  checkDims("createSliceableTensorFromSlice", s.shape(), dims, Sizes(dims.size(), 0));
  Sizes shape = s.shape();
  const auto like = popir::addSlicesLike(graph, s, numSlices, {debugContext, "sliceable"});
  const Tensor made = like ? *like : slicesLike(graph, s, numSlices, {debugContext, "sliceable"});
  std::vector<unsigned> order;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto at = std::find(dims.begin(), dims.end(), d);
    if (at != dims.end()) {
      const auto i = static_cast<std::size_t>(at - dims.begin());
      order.push_back(static_cast<unsigned>(i));
      shape[d] *= numSlices[i];
    }
    order.push_back(static_cast<unsigned>(dims.size() + d));
  }
  return made.dimShuffle(order).reshape(shape);
}

Tensor createSliceTensor(Graph& graph, const Tensor& t, const Sizes& dims, const Sizes& sizes,
                         std::size_t numIndices, const DebugContext& debugContext) {
  checkDims("createSliceTensor", t.shape(), dims, sizes);
  const DebugContext context(debugContext, "slices");
  if (numIndices != 1)
    return slicesTensor(graph, t.elementType(), t.shape(), dims, sizes, numIndices, context);
  Tensor first = t;
  for (std::size_t i = 0; i < dims.size(); ++i)
    first = first.slice(0, sizes[i], static_cast<unsigned>(dims[i]));
  return graph.clone(first, context).expand({0});
}

Tensor createIndicesTensor(Graph& graph, const Sizes& dims, std::size_t numIndices,
                           const SlicePlan& plan, const OptionFlags& options,
                           const DebugContext& debugContext) {
  popir::sliceUseOf("popops::createIndicesTensor", options);
  constexpr std::size_t kMinOnTile = 32;
  const Tensor made =
      graph.addVariable(poplar::UNSIGNED_INT, {numIndices, dims.size()}, {debugContext, "indices"});
  const auto* impl = plan.impl();
  popir::mapLinearly(graph, made, kMinOnTile, 1,
                     impl ? static_cast<unsigned>(impl->planned.first) : 0);
  return made;
}

Tensor dynamicSlice(Graph& graph, const Tensor& t, const Tensor& offset, const Sizes& dims,
                    const Sizes& sizes, Sequence& prog, const DebugContext& debugContext,
                    const OptionFlags& options) {
  popir::checkLibraryOptions("popops::dynamicSlice", popir::Library::Slice, options);
  return slices("dynamicSlice", graph, t, offset.expand({0}), dims, sizes, prog, {}, debugContext)
      .squeeze({0});
}

Tensor createDynamicSliceOutput(Graph& graph, const Tensor& t, const Tensor&, const Sizes& dims,
                                const Sizes& sizes, const DebugContext& debugContext,
                                const OptionFlags& options) {
  popir::checkLibraryOptions("popops::createDynamicSliceOutput", popir::Library::Slice, options);
  return createSliceTensor(graph, t, dims, sizes, 1, debugContext).squeeze({0});
}

void dynamicSliceWithOutput(Graph& graph, const Tensor& output, const Tensor& t,
                            const Tensor& offset, const Sizes& dims, const Sizes& sizes,
                            Sequence& prog, const DebugContext& debugContext,
                            const OptionFlags& options) {
  const Tensor slice = dynamicSlice(graph, t, offset, dims, sizes, prog, debugContext, options);
  if (output.shape() != slice.shape() || output.elementType() != slice.elementType())
    throw poputil::poplibs_error("popops::dynamicSliceWithOutput: the output is " +
                                 output.elementType().toString() + " " + output.shapeToString() +
                                 ", the slice " + slice.elementType().toString() + " " +
                                 slice.shapeToString() + "; make it by createDynamicSliceOutput");
  prog.add(poplar::program::Copy(slice, output, false, {debugContext, "output"}));
}

void dynamicUpdate(Graph& graph, const Tensor& t, const Tensor& s, const Tensor& offset,
                   const Sizes& dims, const Sizes& sizes, Sequence& prog,
                   const DebugContext& debugContext, const OptionFlags& options) {
  popir::checkLibraryOptions("popops::dynamicUpdate", popir::Library::Slice, options);
  // Along a single dimension a slice is as long as it says itself, as in PopLibs.
  Sizes lengths = sizes;
  if (dims.size() == 1 && sizes.size() == 1 && s.rank() == t.rank() && dims[0] < s.rank() &&
      sizes[0] != 0 && sizes[0] <= t.dim(dims[0]))
    lengths[0] = s.dim(dims[0]);
  update("dynamicUpdate", popir::SlicesKind::Write, graph, t, s.expand({0}), offset.expand({0}),
         nullptr, dims, lengths, prog, {}, debugContext);
}

Tensor multiSlice(Graph& graph, const Tensor& t, const Tensor& offsets, const Sizes& dims,
                  const Sizes& sizes, Sequence& prog, const SlicePlan& plan,
                  const OptionFlags& options, const DebugContext& debugContext) {
  const auto planned = popir::plannedSlices("multiSlice", plan, t.shape(), dims, sizes, options);
  return slices("multiSlice", graph, t, offsets, dims, sizes, prog, planned, debugContext);
}

void multiUpdate(Graph& graph, const Tensor& t, const Tensor& s, const Tensor& offsets,
                 const Sizes& dims, const Sizes& sizes, Sequence& prog, const SlicePlan& plan,
                 const OptionFlags& options, const DebugContext& debugContext) {
  auto planned = popir::plannedSlices("multiUpdate", plan, t.shape(), dims, sizes, options);
  update("multiUpdate", popir::SlicesKind::Write, graph, t, s, offsets, nullptr, dims, sizes, prog,
         std::move(planned), debugContext);
}

void multiUpdateAdd(Graph& graph, const Tensor& t, const Tensor& s, const Tensor& offsets,
                    const Tensor& scale, const Sizes& dims, const Sizes& sizes, Sequence& prog,
                    const SlicePlan& plan, const OptionFlags& options,
                    const DebugContext& debugContext) {
  auto planned = popir::plannedSlices("multiUpdateAdd", plan, t.shape(), dims, sizes, options);
  update("multiUpdateAdd", popir::SlicesKind::Add, graph, t, s, offsets, &scale, dims, sizes, prog,
         std::move(planned), debugContext);
}

void multiUpdateMax(Graph& graph, const Tensor& t, const Tensor& s, const Tensor& offsets,
                    const Sizes& dims, const Sizes& sizes, Sequence& prog, const SlicePlan& plan,
                    const OptionFlags& options, const DebugContext& debugContext) {
  auto planned = popir::plannedSlices("multiUpdateMax", plan, t.shape(), dims, sizes, options);
  update("multiUpdateMax", popir::SlicesKind::Max, graph, t, s, offsets, nullptr, dims, sizes, prog,
         std::move(planned), debugContext);
}

void multiUpdateMul(Graph& graph, const Tensor& t, const Tensor& s, const Tensor& offsets,
                    const Sizes& dims, const Sizes& sizes, Sequence& prog, const SlicePlan& plan,
                    const OptionFlags& options, const DebugContext& debugContext) {
  auto planned = popir::plannedSlices("multiUpdateMul", plan, t.shape(), dims, sizes, options);
  update("multiUpdateMul", popir::SlicesKind::Mul, graph, t, s, offsets, nullptr, dims, sizes, prog,
         std::move(planned), debugContext);
}

void multiUpdateMin(Graph& graph, const Tensor& t, const Tensor& s, const Tensor& offsets,
                    const Sizes& dims, const Sizes& sizes, Sequence& prog, const SlicePlan& plan,
                    const OptionFlags& options, const DebugContext& debugContext) {
  auto planned = popir::plannedSlices("multiUpdateMin", plan, t.shape(), dims, sizes, options);
  update("multiUpdateMin", popir::SlicesKind::Min, graph, t, s, offsets, nullptr, dims, sizes, prog,
         std::move(planned), debugContext);
}

poplar::Graph::TileToTensorMapping getSliceMapping(poplar::Graph& graph, const poplar::Tensor& t,
                                                   const std::vector<std::size_t>& dims,
                                                   const std::vector<std::size_t>& sizes) {
  checkDims("getSliceMapping", t.shape(), dims, sizes);
  poplar::Tensor first = t;
  for (std::size_t i = 0; i < dims.size(); ++i)
    first = first.slice(0, sizes[i], static_cast<unsigned>(dims[i]));
  return graph.getTileMapping(first);
}

}  // namespace popops
