#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>
#include <popops/Scatter.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <string>

namespace popops {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;
namespace pe = expr;

/// A scatter as slices in the operand's own dimensions.
struct Scattering {
  Tensor operand;  // without the elements that no slice reaches
  Tensor offsets;  // [slices, dims]
  Tensor slices;   // [slices, shape of one]
  std::vector<std::size_t> dims, sizes;
};

[[noreturn]] void refuseScatter(const std::string& what) {
  throw poputil::poplibs_error("popops::scatter: " + what);
}

bool remaps(const poplar::OptionFlags& options) {
  bool remap = false;
  for (const auto& each : options) {
    if (each.first != "remapOutOfBoundIndices" && each.first != "paddingIndexUsed")
      throw poplar::invalid_option("popops::scatter: there is no option " + each.first +
                                   "; the options are remapOutOfBoundIndices and paddingIndexUsed");
    if (each.second != "true" && each.second != "false")
      throw poplar::invalid_option("popops::scatter: " + each.first + " is true or false, not '" +
                                   each.second + "'");
    if (each.first == "remapOutOfBoundIndices") remap = each.second == "true";
  }
  return remap;
}

Scattering scattering(Graph& graph, const Tensor& operand, Tensor indices, const Tensor& updates,
                      std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
                      const std::vector<std::size_t>& insertWindowDims,
                      const std::vector<unsigned>& operandDims, Sequence& prog,
                      const DebugContext& context, const poplar::OptionFlags& options) {
  if (indices.elementType() != poplar::INT && indices.elementType() != poplar::UNSIGNED_INT)
    refuseScatter("the indices are " + indices.elementType().toString() +
                  "; give INT or UNSIGNED_INT");
  if (indexVectorDim > indices.rank())
    refuseScatter("the indices " + indices.shapeToString() + " have no dimension " +
                  std::to_string(indexVectorDim) + " for their vectors");
  const unsigned vectorDim = static_cast<unsigned>(indexVectorDim);
  indices = indexVectorDim == indices.rank() ? indices.expand({indexVectorDim})
                                             : indices.dimRoll(vectorDim, indices.rank() - 1);
  const std::size_t length = indices.shape().back();
  std::size_t count = 1;
  for (std::size_t d = 0; d + 1 < indices.rank(); ++d)
    count *= indices.dim(static_cast<unsigned>(d));
  if (length != operandDims.size())
    refuseScatter("vectors of " + std::to_string(length) + " indices for " +
                  std::to_string(operandDims.size()) + " dimensions of the operand");
  // A dimension of a slice that the updates do not have is one of size 1 that was inserted, too.
  const auto missing = std::remove_if(updateWindowDims.begin(), updateWindowDims.end(),
                                      [&](unsigned d) { return d >= updates.rank(); });
  updateWindowDims.erase(missing, updateWindowDims.end());
  if (updateWindowDims.size() + insertWindowDims.size() != operand.rank())
    refuseScatter("slices of " + std::to_string(updateWindowDims.size()) + " dimensions with " +
                  std::to_string(insertWindowDims.size()) + " inserted, for an operand of " +
                  std::to_string(operand.rank()));

  std::vector<unsigned> order;  // of the updates: those of the indices, then those of a slice
  for (unsigned d = 0; d < updates.rank(); ++d)
    if (std::find(updateWindowDims.begin(), updateWindowDims.end(), d) == updateWindowDims.end())
      order.push_back(d);
  for (const unsigned d : updateWindowDims) order.push_back(d);
  const Tensor ordered = updates.dimShuffle(order);

  std::vector<std::size_t> slice;  // sizes in each dimension of the operand
  std::size_t next = updates.rank() - updateWindowDims.size();
  for (std::size_t d = 0; d < operand.rank(); ++d) {
    const bool inserted =
        std::find(insertWindowDims.begin(), insertWindowDims.end(), d) != insertWindowDims.end();
    slice.push_back(inserted ? 1 : ordered.dim(static_cast<unsigned>(next++)));
    if (slice.back() > operand.dim(static_cast<unsigned>(d)))
      refuseScatter("slices of " + std::to_string(slice.back()) + " in dimension " +
                    std::to_string(d) + " of an operand " + operand.shapeToString());
  }
  std::vector<std::size_t> shape = {count};
  shape.insert(shape.end(), slice.begin(), slice.end());
  std::size_t wanted = 1;
  for (const std::size_t n : shape) wanted *= n;
  if (wanted != updates.numElements())
    refuseScatter("the updates " + updates.shapeToString() + " do not have one slice for each of " +
                  std::to_string(count) + " indices");

  Scattering made;
  made.operand = operand;
  for (unsigned d = 0; d < operand.rank(); ++d)
    if (std::find(operandDims.begin(), operandDims.end(), d) == operandDims.end())
      made.operand = made.operand.slice(0, slice[d], d);
  for (const unsigned d : operandDims) {
    if (d >= operand.rank())
      refuseScatter("the operand " + operand.shapeToString() + " has no dimension " +
                    std::to_string(d));
    made.dims.push_back(d);
    made.sizes.push_back(slice[d]);
  }
  made.slices = ordered.reshape(shape);
  made.offsets = indices.reshape({count, length});
  if (remaps(options)) {
    std::vector<unsigned> last;
    for (std::size_t i = 0; i < length; ++i)
      last.push_back(
          static_cast<unsigned>(operand.dim(static_cast<unsigned>(made.dims[i])) - made.sizes[i]));
    const Tensor limits = graph.addConstant(poplar::UNSIGNED_INT, {length}, last, context);
    graph.setTileMapping(limits, 0u);
    // A negative position is large as an unsigned one.
    made.offsets = map(graph, pe::Select(pe::_1, pe::Const(0u), pe::Lte(pe::_1, pe::_2)),
                       {made.offsets.reinterpret(poplar::UNSIGNED_INT), limits}, prog, context);
  }
  return made;
}

}  // namespace

void scatter(Graph& graph, const Tensor& operand, const Tensor& indices, const Tensor& updates,
             std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
             std::vector<std::size_t> insertWindowDims,
             std::vector<unsigned> scatterDimsToOperandDims, Sequence& prog,
             const DebugContext& debugContext, const poplar::OptionFlags& optionFlags) {
  const DebugContext context(debugContext, "scatter");
  const auto s = scattering(graph, operand, indices, updates, indexVectorDim, updateWindowDims,
                            insertWindowDims, scatterDimsToOperandDims, prog, context, optionFlags);
  multiUpdate(graph, s.operand, s.slices, s.offsets, s.dims, s.sizes, prog, SlicePlan(), {},
              context);
}

void scatter(Graph& graph, const Tensor& operand, const Tensor& indices, const Tensor& updates,
             std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
             std::vector<std::size_t> insertWindowDims,
             std::vector<unsigned> scatterDimsToOperandDims,
             UpdateComputationFunc& updateComputation, Sequence& prog,
             const DebugContext& debugContext, const poplar::OptionFlags& optionFlags) {
  const DebugContext context(debugContext, "scatter");
  const auto s = scattering(graph, operand, indices, updates, indexVectorDim, updateWindowDims,
                            insertWindowDims, scatterDimsToOperandDims, prog, context, optionFlags);
  const auto body = [&](const Tensor& i) {
    Sequence once(context);
    const Tensor offset = dynamicSlice(graph, s.offsets, i, {0}, {1}, once, context).squeeze({0});
    Tensor old = dynamicSlice(graph, s.operand, offset, s.dims, s.sizes, once, context);
    Tensor update = dynamicSlice(graph, s.slices, i, {0}, {1}, once, context).squeeze({0});
    const Tensor combined = updateComputation(graph, old, update, once);
    dynamicUpdate(graph, s.operand, combined.reshape(old.shape()), offset, s.dims, s.sizes, once,
                  context);
    return once;
  };
  prog.add(countedLoop(graph, s.offsets.dim(0), body, context));
}

}  // namespace popops
