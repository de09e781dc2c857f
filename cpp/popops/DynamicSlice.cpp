#include <popops/DynamicSlice.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cstdint>

#include "kernels/half.hpp"
#include "kernels/movement/slices.hpp"
#include "poplar/bulk_vertex.hpp"
#include "poplar/library_options.hpp"
#include "poplar/sliceable.hpp"
#include "poplar/tile_mapping.hpp"

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

/// The tile on which the columns of a tensor begin that is made for slices. PopLibs' hash, Boost's
/// of 64 bits: tensors that are made for the same slices begin on the same tile.
unsigned firstTile(const Graph& graph, const Sizes& shape, const Sizes& dims, const Sizes& sizes) {
  constexpr std::uint64_t kFactor = 0xc6a4a7935bd1e995;
  std::uint64_t hash = 0x9e3779b9;
  for (const auto* list : {&shape, &dims, &sizes})
    for (std::uint64_t value : *list) {
      value *= kFactor;
      value ^= value >> 47;
      hash = (hash ^ value * kFactor) * kFactor + 0xe6546b64;
    }
  return static_cast<unsigned>(hash % graph.getTarget().getNumTiles());
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
              const DebugContext& debugContext) {
  const Sizes shape = slicesShape(who, t, offsets, dims, sizes);
  // Allocate in the kernel's dimension order, and return a view in the caller's order.
  const Tensor first = slicedFirst(t, dims);
  Sizes memory = first.shape();
  std::copy(sizes.begin(), sizes.end(), memory.begin());
  memory.insert(memory.begin(), offsets.dim(0));
  // Each column stays where it is, if a tile has all of it.
  const auto columns = popir::columnsOf(*graph.impl(), first, dims.size());
  const Tensor made = columns ? graph.addVariable(t.elementType(), memory, {debugContext, who})
                              : linear(graph, t.elementType(), memory, {debugContext, who});
  if (columns)
    popir::setGrid(graph, made, popir::slicesOf(*columns, made.view().shape(), dims.size() + 1));
  popir::addBulkVertex(
      graph, prog, std::make_shared<popir::SlicesKernel>(popir::SlicesKind::Read),
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

void update(const char* who, popir::SlicesKind kind, Graph& graph, const Tensor& t, const Tensor& s,
            const Tensor& offsets, const Tensor* scale, const Sizes& dims, const Sizes& sizes,
            Sequence& prog, const DebugContext& debugContext) {
  if (kind != popir::SlicesKind::Write) checkComputed(who, t, scale);
  const Sizes shape = slicesShape(who, t, offsets, dims, sizes);
  if (s.shape() != shape || s.elementType() != t.elementType())
    throw poputil::poplibs_error(
        std::string("popops::") + who + ": the slices are " + s.elementType().toString() + " " +
        s.shapeToString() + " where the tensor is " + t.elementType().toString() + " " +
        t.shapeToString() + "; give " + t.elementType().toString() + " " + listed(shape));
  std::vector<popir::BulkOperand> operands = {{slicedFirst(t, dims), popir::Access::ReadWrite},
                                              {slicedFirst(s, dims, 1), popir::Access::Read},
                                              {offsets, popir::Access::Read}};
  if (scale != nullptr) operands.push_back({scale->flatten(), popir::Access::Read});
  popir::addBulkVertex(graph, prog, std::make_shared<popir::SlicesKernel>(kind),
                       std::move(operands), {debugContext, who});
}

}  // namespace

namespace embedding {
SlicePlan plan(const Graph&, const poplar::Type&, std::size_t, std::size_t, const Sizes&,
               const OptionFlags& options) {
  popir::checkLibraryOptions("popops::embedding::plan", popir::Library::Slice, options);
  return {};
}
SlicePlan plan(const Graph&, const poplar::Type&, std::size_t, std::size_t, std::size_t,
               const Sizes&, const OptionFlags& options) {
  popir::checkLibraryOptions("popops::embedding::plan", popir::Library::Slice, options);
  return {};
}
std::vector<SlicePlan> planMultiple(const std::vector<SlicePlanningParameters>& parameters) {
  for (const auto& each : parameters)
    popir::checkLibraryOptions("popops::embedding::planMultiple", popir::Library::Slice,
                               each.optionFlags);
  return std::vector<SlicePlan>(parameters.size());
}
}  // namespace embedding

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
                             const Sizes& dims, const Sizes& sizes, const SlicePlan&,
                             const OptionFlags& options, const DebugContext& debugContext) {
  popir::checkLibraryOptions("popops::createSliceableTensor", popir::Library::Slice, options);
  return createSliceableTensor(graph, type, shape, dims, sizes, 0, debugContext);
}

Tensor createSliceTensor(Graph& graph, const poplar::Type& type, const Sizes& shape,
                         const Sizes& dims, const Sizes& sizes, std::size_t numIndices,
                         const SlicePlan&, const OptionFlags& options,
                         const DebugContext& debugContext) {
  popir::checkLibraryOptions("popops::createSliceTensor", popir::Library::Slice, options);
  checkDims("createSliceTensor", shape, dims, sizes);
  return slicesTensor(graph, type, shape, dims, sizes, numIndices, {debugContext, "slices"});
}

Tensor createSliceableTensorFromSlice(Graph& graph, const Tensor& s, const Sizes& dims,
                                      const Sizes& numSlices, const DebugContext& debugContext) {
  if (numSlices.size() != dims.size())
    throw poputil::poplibs_error("popops::createSliceableTensorFromSlice: the dimensions " +
                                 listed(dims) + " and the numbers " + listed(numSlices) +
                                 " were given; give one number for each dimension");
  checkDims("createSliceableTensorFromSlice", s.shape(), dims, Sizes(dims.size(), 0));
  Sizes shape = s.shape(), memory = numSlices;
  memory.insert(memory.end(), shape.begin(), shape.end());
  const Tensor made = graph.addVariable(s.elementType(), memory, {debugContext, "sliceable"});
  // Each slice lies where `s` does; what lies nowhere is spread over the tiles.
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
                           const SlicePlan&, const OptionFlags& options,
                           const DebugContext& debugContext) {
  popir::checkLibraryOptions("popops::createIndicesTensor", popir::Library::Slice, options);
  constexpr std::size_t kMinOnTile = 32;
  const Tensor made =
      graph.addVariable(poplar::UNSIGNED_INT, {numIndices, dims.size()}, {debugContext, "indices"});
  popir::mapLinearly(graph, made, kMinOnTile, 1);
  return made;
}

Tensor dynamicSlice(Graph& graph, const Tensor& t, const Tensor& offset, const Sizes& dims,
                    const Sizes& sizes, Sequence& prog, const DebugContext& debugContext,
                    const OptionFlags& options) {
  popir::checkLibraryOptions("popops::dynamicSlice", popir::Library::Slice, options);
  return slices("dynamicSlice", graph, t, offset.expand({0}), dims, sizes, prog, debugContext)
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
  update("dynamicUpdate", popir::SlicesKind::Write, graph, t, s.expand({0}), offset.expand({0}),
         nullptr, dims, sizes, prog, debugContext);
}

Tensor multiSlice(Graph& graph, const Tensor& t, const Tensor& offsets, const Sizes& dims,
                  const Sizes& sizes, Sequence& prog, const SlicePlan&, const OptionFlags& options,
                  const DebugContext& debugContext) {
  popir::checkLibraryOptions("popops::multiSlice", popir::Library::Slice, options);
  return slices("multiSlice", graph, t, offsets, dims, sizes, prog, debugContext);
}

void multiUpdate(Graph& graph, const Tensor& t, const Tensor& s, const Tensor& offsets,
                 const Sizes& dims, const Sizes& sizes, Sequence& prog, const SlicePlan&,
                 const OptionFlags& options, const DebugContext& debugContext) {
  popir::checkLibraryOptions("popops::multiUpdate", popir::Library::Slice, options);
  update("multiUpdate", popir::SlicesKind::Write, graph, t, s, offsets, nullptr, dims, sizes, prog,
         debugContext);
}

void multiUpdateAdd(Graph& graph, const Tensor& t, const Tensor& s, const Tensor& offsets,
                    const Tensor& scale, const Sizes& dims, const Sizes& sizes, Sequence& prog,
                    const SlicePlan&, const OptionFlags& options,
                    const DebugContext& debugContext) {
  popir::checkLibraryOptions("popops::multiUpdateAdd", popir::Library::Slice, options);
  update("multiUpdateAdd", popir::SlicesKind::Add, graph, t, s, offsets, &scale, dims, sizes, prog,
         debugContext);
}

void multiUpdateMax(Graph& graph, const Tensor& t, const Tensor& s, const Tensor& offsets,
                    const Sizes& dims, const Sizes& sizes, Sequence& prog, const SlicePlan&,
                    const OptionFlags& options, const DebugContext& debugContext) {
  popir::checkLibraryOptions("popops::multiUpdateMax", popir::Library::Slice, options);
  update("multiUpdateMax", popir::SlicesKind::Max, graph, t, s, offsets, nullptr, dims, sizes, prog,
         debugContext);
}

void multiUpdateMul(Graph& graph, const Tensor& t, const Tensor& s, const Tensor& offsets,
                    const Sizes& dims, const Sizes& sizes, Sequence& prog, const SlicePlan&,
                    const OptionFlags& options, const DebugContext& debugContext) {
  popir::checkLibraryOptions("popops::multiUpdateMul", popir::Library::Slice, options);
  update("multiUpdateMul", popir::SlicesKind::Mul, graph, t, s, offsets, nullptr, dims, sizes, prog,
         debugContext);
}

void multiUpdateMin(Graph& graph, const Tensor& t, const Tensor& s, const Tensor& offsets,
                    const Sizes& dims, const Sizes& sizes, Sequence& prog, const SlicePlan&,
                    const OptionFlags& options, const DebugContext& debugContext) {
  popir::checkLibraryOptions("popops::multiUpdateMin", popir::Library::Slice, options);
  update("multiUpdateMin", popir::SlicesKind::Min, graph, t, s, offsets, nullptr, dims, sizes, prog,
         debugContext);
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
