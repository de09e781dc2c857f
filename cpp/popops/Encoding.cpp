#include <popops/Encoding.hpp>

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Gather.hpp>
#include <popops/SelectScalarFromRows.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/movement/iota.hpp"
#include "poplar/bulk_vertex.hpp"

namespace popops {
namespace {

namespace pe = expr;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

[[noreturn]] void refuse(const char* who, const Tensor& given, const char* wanted) {
  throw poputil::poplibs_error(std::string("popops::") + who + ": given is " +
                               given.elementType().toString() + " " + given.shapeToString() +
                               "; give " + wanted);
}

bool isIndex(const poplar::Type& type) {
  return type == poplar::INT || type == poplar::UNSIGNED_INT;
}

/// The constant first, first + 1, ... Its bits are valid for INT and UNSIGNED_INT.
Tensor counting(Graph& graph, const poplar::Type& type, std::size_t n, unsigned first,
                unsigned step, const DebugContext& debugContext) {
  std::vector<unsigned> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = first + static_cast<unsigned>(i) * step;
  const Tensor made = graph.addConstant(poplar::UNSIGNED_INT, {n},
                                        poplar::ArrayRef<unsigned>(values), debugContext);
  poputil::mapTensorLinearly(graph, made);
  return made.reinterpret(type);
}

void checkOneHot(const Tensor& indices, const Tensor& encoded) {
  if (indices.rank() != 1 || !isIndex(indices.elementType()))
    refuse("encodeOneHot", indices, "indices of INT or UNSIGNED_INT [rows]");
  if (encoded.rank() != 2 || encoded.dim(0) != indices.dim(0))
    refuse("encodeOneHot", encoded, "an output [rows, columns] with as many rows as indices");
}

/// `indices` and the column numbers, both broadcast to [rows, columns].
std::vector<Tensor> rowsAndColumns(Graph& graph, const Tensor& indices, std::size_t columns,
                                   const DebugContext& debugContext) {
  const unsigned rows = static_cast<unsigned>(indices.dim(0));
  return {indices.reinterpret(poplar::UNSIGNED_INT)
              .expand({1})
              .broadcast(static_cast<unsigned>(columns), 1),
          counting(graph, poplar::UNSIGNED_INT, columns, 0, 1, debugContext)
              .expand({0})
              .broadcast(rows, 0)};
}

}  // namespace

void encodeOneHot(Graph& graph, const Tensor& indices, const Tensor& encoded, Sequence& prog,
                  const DebugContext& debugContext) {
  checkOneHot(indices, encoded);
  std::vector<Tensor> operands = rowsAndColumns(graph, indices, encoded.dim(1), debugContext);
  mapWithOutput(graph, pe::Cast(pe::Equal(pe::_1, pe::_2), encoded.elementType()), operands,
                encoded, prog, {debugContext, "encodeOneHot"});
}

void encodeOneHot(Graph& graph, const Tensor& indices, const Tensor& encoded, Sequence& prog,
                  const Tensor& on, const Tensor& off, const DebugContext& debugContext) {
  checkOneHot(indices, encoded);
  for (const Tensor& value : {on, off})
    if (value.numElements() != 1 || value.elementType() != encoded.elementType())
      refuse("encodeOneHot", value, "one element of the output's type");
  std::vector<Tensor> operands = rowsAndColumns(graph, indices, encoded.dim(1), debugContext);
  operands.push_back(on.reshape({}));
  operands.push_back(off.reshape({}));
  mapWithOutput(graph, pe::Select(pe::_3, pe::_4, pe::Equal(pe::_1, pe::_2)), operands, encoded,
                prog, {debugContext, "encodeOneHot"});
}

void iota(Graph& graph, const Tensor& t, unsigned startInteger, Sequence& prog,
          const DebugContext& debugContext) {
  if (t.rank() != 1 || !isIndex(t.elementType()))
    refuse("iota", t, "INT or UNSIGNED_INT [elements]");
  if (t.numElements() == 0) return;
  popir::addBulkVertex(graph, prog, std::make_shared<popir::IotaKernel>(startInteger),
                       {{t, popir::Access::Write}}, {debugContext, "iota"});
}

void iota(Graph& graph, const Tensor& t, int startInteger, Sequence& prog,
          const DebugContext& debugContext) {
  iota(graph, t, static_cast<unsigned>(startInteger), prog, debugContext);
}

Tensor selectScalarFromRows(Graph& graph, const Tensor& params, const Tensor& indices,
                            Sequence& prog, const DebugContext& debugContext) {
  const poplar::Type type = params.elementType();
  if (params.rank() != 2 || (type != poplar::FLOAT && type != poplar::HALF))
    refuse("selectScalarFromRows", params, "FLOAT or HALF [rows, columns]");
  if (indices.rank() != 1 || indices.dim(0) != params.dim(0) ||
      indices.elementType() != poplar::UNSIGNED_INT)
    refuse("selectScalarFromRows", indices, "UNSIGNED_INT [rows]");
  const unsigned columns = static_cast<unsigned>(params.dim(1));
  const auto isColumn = pe::Lt(pe::_2, pe::Const(columns));
  const DebugContext context(debugContext, "selectScalarFromRows");
  // A slice outside of the tensor reads as 0.
  const Tensor starts = counting(graph, poplar::UNSIGNED_INT, params.dim(0), 0, columns, context);
  const Tensor places =
      map(graph, pe::Select(pe::Add(pe::_1, pe::_2), pe::Const(MASKED_LABEL_CODE), isColumn),
          {starts, indices}, prog, context);
  const Tensor picked = multiSlice(graph, params.flatten(), places.expand({1}), {0}, {1}, prog,
                                   SlicePlan(), poplar::OptionFlags(), context)
                            .flatten();
  const auto isMasked = pe::Equal(pe::_2, pe::Const(MASKED_LABEL_CODE));
  const pe::Cast nan(pe::Const(std::numeric_limits<float>::quiet_NaN()), type);
  return map(graph, pe::Select(pe::_1, nan, pe::Or(isColumn, isMasked)), {picked, indices}, prog,
             context);
}

Tensor createGatherInput(Graph& graph, const poplar::Type& type,
                         const std::vector<std::size_t>& operandShape, unsigned axis,
                         GatherParams params, const DebugContext& debugContext) {
  std::vector<std::size_t> shape = operandShape;
  if (axis < shape.size() && shape[axis] > std::max<std::size_t>(params.maxElementsPerTile, 1)) {
    // As in PopLibs pairs of slices are sliced, of which the two may be on different tiles.
    shape[axis] = (shape[axis] + 1) / 2;
    shape.insert(shape.begin() + axis + 1, 2);
    return createGatherInput(graph, type, shape, axis, params, debugContext)
        .flatten(axis, axis + 2)
        .slice(0, operandShape[axis], axis);
  }
  if (axis == 0 || axis >= shape.size())
    return createSliceableTensor(graph, type, shape, {axis}, {1}, 0, debugContext);
  // PopLibs puts the axis in front in place of the first dimension.
  std::vector<unsigned> order(shape.size());
  std::iota(order.begin(), order.end(), 0U);
  std::swap(order.front(), order[axis]);
  std::swap(shape.front(), shape[axis]);
  return createSliceableTensor(graph, type, shape, {0}, {1}, 0, debugContext).dimShuffle(order);
}

Tensor gather(Graph& graph, const Tensor& input, const Tensor& indices, unsigned axis,
              Sequence& prog, GatherParams, const DebugContext& debugContext) {
  if (axis >= input.rank()) refuse("gather", input, "an input that has the axis");
  if (indices.rank() != 1 || !isIndex(indices.elementType()))
    refuse("gather", indices, "indices of INT or UNSIGNED_INT [slices]");
  // [slices, shape of the input with size 1 in `axis`]
  const Tensor slices = multiSlice(graph, input, indices.expand({1}), {axis}, {1}, prog,
                                   SlicePlan(), poplar::OptionFlags(), {debugContext, "gather"});
  return slices.squeeze({axis + 1}).dimRoll(0, axis);
}

}  // namespace popops
