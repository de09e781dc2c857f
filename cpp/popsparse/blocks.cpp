#include "popsparse/blocks.hpp"

#include <poplin/MatMul.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>

namespace popir {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

namespace {

/// Slices [n, shape of one] of the first dimension of `t`.
Tensor taken(Graph& graph, const Tensor& t, const Tensor& indices, Sequence& prog,
             const DebugContext& context) {
  return popops::multiSlice(graph, t, indices.expand({1}), {0}, {1}, prog, popops::SlicePlan(), {},
                            context)
      .squeeze({1});
}

/// Products of matrices, one for each block.
Tensor products(Graph& graph, const Tensor& a, const Tensor& b, Sequence& prog,
                const DebugContext& context) {
  const poplar::Type type = a.elementType();
  if (a.dim(1) == 1 && a.dim(2) == 1) return popops::mul(graph, b, a, prog, context);
  return poplin::matMulGrouped(graph, a, b, prog, type, context);
}

Tensor zeros(Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape,
             Sequence& prog, const DebugContext& context) {
  const Tensor made =
      graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, context);
  popops::zero(graph, made, prog, context);
  return made;
}

/// [rows, columns, height, width] of a matrix.
Tensor grid(const Tensor& matrix, std::size_t height, std::size_t width) {
  return matrix.reshape({matrix.dim(0) / height, height, matrix.dim(1) / width, width})
      .dimShuffle({0, 2, 1, 3});
}

Tensor places(const SparseBlocks& matrix) {
  return poplar::concat(matrix.rows.expand({1}), matrix.columns.expand({1}), 1);
}

}  // namespace

SparseBlocks SparseBlocks::transposed() const {
  return {columns, rows, values.dimShuffle({0, 2, 1}), blockColumns, blockRows};
}

Tensor constantIndices(Graph& graph, const std::vector<std::size_t>& values,
                       const DebugContext& context) {
  const std::vector<unsigned> narrow(values.begin(), values.end());
  const Tensor made = graph.addConstant(poplar::UNSIGNED_INT, {narrow.size()}, narrow, context);
  graph.setTileMapping(made, 0u);
  return made;
}

Tensor sparseTimesDense(Graph& graph, const SparseBlocks& matrix, const Tensor& dense,
                        Sequence& prog, const DebugContext& context) {
  const std::size_t height = matrix.values.dim(1), width = matrix.values.dim(2);
  const std::size_t n = dense.dim(1);
  const poplar::Type type = dense.elementType();
  const Tensor in =
      taken(graph, dense.reshape({matrix.blockColumns, width, n}), matrix.columns, prog, context);
  Tensor out = products(graph, matrix.values, in, prog, context);
  // Sums of many blocks, so in FLOAT.
  if (type != poplar::FLOAT) out = popops::cast(graph, out, poplar::FLOAT, prog, context);
  const Tensor sums = zeros(graph, poplar::FLOAT, {matrix.blockRows, height, n}, prog, context);
  const Tensor one = graph.addConstant(poplar::FLOAT, {}, 1.0f, context);
  graph.setTileMapping(one, 0u);
  popops::multiUpdateAdd(graph, sums, out.expand({1}), matrix.rows.expand({1}), one, {0}, {1}, prog,
                         popops::SlicePlan(), {}, context);
  const Tensor made = sums.reshape({matrix.blockRows * height, n});
  return type == poplar::FLOAT ? made : popops::cast(graph, made, type, prog, context);
}

Tensor blocksOfProduct(Graph& graph, const SparseBlocks& where, std::size_t height,
                       std::size_t width, const Tensor& left, const Tensor& right, Sequence& prog,
                       const DebugContext& context) {
  const std::size_t n = left.dim(1);
  const Tensor a =
      taken(graph, left.reshape({where.blockRows, height, n}), where.rows, prog, context);
  const Tensor b = taken(graph, right.reshape({n, where.blockColumns, width}).dimShuffle({1, 0, 2}),
                         where.columns, prog, context);
  return poplin::matMulGrouped(graph, a, b, prog, left.elementType(), context);
}

Tensor denseOf(Graph& graph, const SparseBlocks& matrix, Sequence& prog,
               const DebugContext& context) {
  const std::size_t height = matrix.values.dim(1), width = matrix.values.dim(2);
  const Tensor made =
      zeros(graph, matrix.values.elementType(),
            {matrix.blockRows * height, matrix.blockColumns * width}, prog, context);
  popops::multiUpdate(graph, grid(made, height, width), matrix.values.expand({1, 1}),
                      places(matrix), {0, 1}, {1, 1}, prog, popops::SlicePlan(), {}, context);
  return made;
}

Tensor blocksOf(Graph& graph, const SparseBlocks& where, std::size_t height, std::size_t width,
                const Tensor& dense, Sequence& prog, const DebugContext& context) {
  return popops::multiSlice(graph, grid(dense, height, width), places(where), {0, 1}, {1, 1}, prog,
                            popops::SlicePlan(), {}, context)
      .squeeze({1, 2});
}

}  // namespace popir
