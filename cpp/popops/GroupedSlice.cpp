// Grouped slices: slices of the ungrouped functions, with the group as first sliced dimension.
#include <popops/DynamicSlice.hpp>
#include <poputil/exceptions.hpp>

#include <string>
#include <vector>

namespace popops {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using Sizes = std::vector<std::size_t>;

Sizes withFirst(std::size_t first, const Sizes& rest, std::size_t more = 0) {
  Sizes all = {first};
  for (const std::size_t n : rest) all.push_back(n + more);
  return all;
}

/// Constant offsets, [number of values, 1] of UNSIGNED_INT.
Tensor constantOffsets(Graph& graph, poplar::ArrayRef<unsigned> values,
                       const DebugContext& debugContext) {
  const Tensor made =
      graph.addConstant(poplar::UNSIGNED_INT, {values.size(), 1}, values, debugContext);
  graph.setTileMapping(made, 0);
  return made;
}

/// Converts offsets [groups, slices, dims] to [groups * slices, 1 + dims], with the group first.
Tensor groupedOffsets(const char* who, Graph& graph, const Tensor& t, const Tensor& offsets,
                      const DebugContext& debugContext) {
  if (t.rank() == 0 || offsets.rank() != 3 || offsets.dim(0) != t.dim(0))
    throw poputil::poplibs_error(std::string("popops::") + who + ": the tensor is " +
                                 t.shapeToString() + ", the offsets " + offsets.shapeToString() +
                                 "; give [groups, ...] and [groups, slices, dimensions]");
  std::vector<unsigned> groups;
  for (unsigned g = 0; groups.size() < offsets.dim(0) * offsets.dim(1); ++g)
    groups.insert(groups.end(), offsets.dim(1), g);
  const Tensor group = constantOffsets(graph, groups, {debugContext, "group"});
  const bool isSigned = offsets.elementType() == poplar::INT;
  return poplar::concat(isSigned ? group.reinterpret(poplar::INT) : group, offsets.flatten(0, 2),
                        1);
}

/// Converts slices [groups, slices, ...] to [groups * slices, 1, ...].
Tensor groupedSlices(const char* who, const Tensor& t, const Tensor& s, const Tensor& offsets) {
  if (s.rank() != t.rank() + 1 || s.dim(0) != offsets.dim(0) || s.dim(1) != offsets.dim(1))
    throw poputil::poplibs_error(std::string("popops::") + who + ": the slices are " +
                                 s.shapeToString() + " where the tensor is " + t.shapeToString() +
                                 " and the offsets " + offsets.shapeToString() +
                                 "; give [groups, slices, the shape of a slice...]");
  return s.flatten(0, 2).expand({1});
}

using Update = void (*)(Graph&, const Tensor&, const Tensor&, const Tensor&, const Sizes&,
                        const Sizes&, Sequence&, const SlicePlan&, const OptionFlags&,
                        const DebugContext&);

/// Runs one update for all groups.
void grouped(const char* who, Update update, Graph& graph, const Tensor& t, const Tensor& s,
             const Tensor& offsets, const Sizes& dims, const Sizes& sizes, Sequence& prog,
             const SlicePlan& plan, const OptionFlags& options, const DebugContext& debugContext) {
  const Tensor places = groupedOffsets(who, graph, t, offsets, debugContext);
  update(graph, t, groupedSlices(who, t, s, offsets), places, withFirst(0, dims, 1),
         withFirst(1, sizes), prog, plan, options, debugContext);
}

}  // namespace

Tensor createGroupedSliceableTensor(Graph& graph, const poplar::Type& type, std::size_t groupSize,
                                    const Sizes& shape, const Sizes& dims, const Sizes& sizes,
                                    const SlicePlan& plan, const OptionFlags& options,
                                    const DebugContext& debugContext) {
  return createSliceableTensor(graph, type, withFirst(groupSize, shape), withFirst(0, dims, 1),
                               withFirst(1, sizes), plan, options, debugContext);
}

Tensor createGroupedSliceTensor(Graph& graph, const poplar::Type& type, std::size_t groupSize,
                                const Sizes& shape, const Sizes& dims, const Sizes& sizes,
                                std::size_t numIndices, const SlicePlan& plan,
                                const OptionFlags& options, const DebugContext& debugContext) {
  const Tensor flat =
      createSliceTensor(graph, type, withFirst(groupSize, shape), withFirst(0, dims, 1),
                        withFirst(1, sizes), groupSize * numIndices, plan, options, debugContext)
          .squeeze({1});
  return flat.reshapePartial(0, 1, {groupSize, numIndices});
}

Tensor createGroupedIndicesTensor(Graph& graph, std::size_t groupSize, const Sizes& dims,
                                  std::size_t numIndices, const SlicePlan& plan,
                                  const OptionFlags& options, const DebugContext& debugContext) {
  return createIndicesTensor(graph, dims, groupSize * numIndices, plan, options, debugContext)
      .reshapePartial(0, 1, {groupSize, numIndices});
}

Tensor multiSlice(Graph& graph, const Tensor& t, poplar::ArrayRef<unsigned> offsets,
                  std::size_t dim, Sequence& prog, const DebugContext& debugContext,
                  const OptionFlags& options) {
  const Tensor places = constantOffsets(graph, offsets, {debugContext, "offsets"});
  return multiSlice(graph, t, places, {dim}, {1}, prog, SlicePlan(), options, debugContext);
}

void multiUpdateAdd(Graph& graph, const Tensor& t, const Tensor& s,
                    poplar::ArrayRef<unsigned> offsets, const Tensor& scale, std::size_t dim,
                    Sequence& prog, const DebugContext& debugContext, const OptionFlags& options) {
  const Tensor places = constantOffsets(graph, offsets, {debugContext, "offsets"});
  multiUpdateAdd(graph, t, s, places, scale, {dim}, {1}, prog, SlicePlan(), options, debugContext);
}

Tensor groupedMultiSlice(Graph& graph, const Tensor& t, const Tensor& offsets, const Sizes& dims,
                         const Sizes& sizes, Sequence& prog, const SlicePlan& plan,
                         const OptionFlags& options, const DebugContext& debugContext) {
  const Tensor places = groupedOffsets("groupedMultiSlice", graph, t, offsets, debugContext);
  return multiSlice(graph, t, places, withFirst(0, dims, 1), withFirst(1, sizes), prog, plan,
                    options, debugContext)
      .squeeze({1})
      .reshapePartial(0, 1, {offsets.dim(0), offsets.dim(1)});
}

void groupedMultiUpdate(Graph& graph, const Tensor& t, const Tensor& s, const Tensor& offsets,
                        const Sizes& dims, const Sizes& sizes, Sequence& prog,
                        const SlicePlan& plan, const OptionFlags& options,
                        const DebugContext& debugContext) {
  grouped("groupedMultiUpdate", multiUpdate, graph, t, s, offsets, dims, sizes, prog, plan, options,
          debugContext);
}

void groupedMultiUpdateAdd(Graph& graph, const Tensor& t, const Tensor& s, const Tensor& offsets,
                           const Tensor& scale, const Sizes& dims, const Sizes& sizes,
                           Sequence& prog, const SlicePlan& plan, const OptionFlags& options,
                           const DebugContext& debugContext) {
  const char* const who = "groupedMultiUpdateAdd";
  const Tensor places = groupedOffsets(who, graph, t, offsets, debugContext);
  multiUpdateAdd(graph, t, groupedSlices(who, t, s, offsets), places, scale, withFirst(0, dims, 1),
                 withFirst(1, sizes), prog, plan, options, debugContext);
}

void groupedMultiUpdateMax(Graph& graph, const Tensor& t, const Tensor& s, const Tensor& offsets,
                           const Sizes& dims, const Sizes& sizes, Sequence& prog,
                           const SlicePlan& plan, const OptionFlags& options,
                           const DebugContext& debugContext) {
  grouped("groupedMultiUpdateMax", multiUpdateMax, graph, t, s, offsets, dims, sizes, prog, plan,
          options, debugContext);
}

void groupedMultiUpdateMul(Graph& graph, const Tensor& t, const Tensor& s, const Tensor& offsets,
                           const Sizes& dims, const Sizes& sizes, Sequence& prog,
                           const SlicePlan& plan, const OptionFlags& options,
                           const DebugContext& debugContext) {
  grouped("groupedMultiUpdateMul", multiUpdateMul, graph, t, s, offsets, dims, sizes, prog, plan,
          options, debugContext);
}

}  // namespace popops
