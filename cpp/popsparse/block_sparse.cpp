// Block-sparse matrices whose structure is known when the graph is made.
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popsparse/experimental/BlockSparseMatMul.hpp>
#include <poputil/exceptions.hpp>

#include <limits>
#include <string>

#include "popsparse/blocks.hpp"

namespace popsparse {
namespace experimental {

/// A matrix in blocks.
struct Structure {
  std::size_t rows, columns, height, width;          // elements of the matrix and of a block
  std::vector<std::size_t> blockRows, blockColumns;  // of the blocks that there are

  std::size_t gridRows() const { return rows / height; }
  std::size_t gridColumns() const { return columns / width; }
};

namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

[[noreturn]] void refuseBlocks(const char* who, const std::string& what) {
  throw poputil::poplibs_error(std::string("popsparse::experimental::") + who + ": " + what);
}

Structure structureOf(const char* who, std::size_t rows, std::size_t columns, std::size_t height,
                      std::size_t width, const unsigned char* mask, std::size_t maskSize) {
  if (height == 0 || width == 0 || rows % height != 0 || columns % width != 0)
    refuseBlocks(who, "blocks of " + std::to_string(height) + "x" + std::to_string(width) +
                          " elements for a matrix of " + std::to_string(rows) + "x" +
                          std::to_string(columns) + "; choose sizes that divide it");
  Structure made{rows, columns, height, width, {}, {}};
  if (maskSize != made.gridRows() * made.gridColumns())
    refuseBlocks(who, "a mask of " + std::to_string(maskSize) + " numbers for " +
                          std::to_string(made.gridRows()) + "x" +
                          std::to_string(made.gridColumns()) + " blocks");
  for (std::size_t i = 0; i < maskSize; ++i)
    if (mask[i] != 0) {
      made.blockRows.push_back(i / made.gridColumns());
      made.blockColumns.push_back(i % made.gridColumns());
    }
  return made;
}

void checkBlocks(const char* who, const Tensor& t, std::size_t blocks, const Structure& s) {
  if (t.rank() == 2 && t.dim(0) == blocks && t.dim(1) == s.height * s.width) return;
  refuseBlocks(who, "a sparse tensor " + t.shapeToString() + " for " + std::to_string(blocks) +
                        " blocks of " + std::to_string(s.height * s.width) + " elements");
}

/// BOOL [blocks, height, width]: whether the mask leaves an element of a group of `groupRows` rows.
Tensor kept(Graph& graph, const Structure& s, SubBlockMask mask, std::size_t groupRows,
            const DebugContext& context) {
  std::vector<bool> values;
  for (std::size_t b = 0; b < s.blockRows.size(); ++b)
    for (std::size_t r = 0; r < s.height; ++r)
      for (std::size_t c = 0; c < s.width; ++c) {
        const std::size_t row = (s.blockRows[b] * s.height + r) % groupRows;
        const std::size_t column = s.blockColumns[b] * s.width + c;
        values.push_back(mask == SubBlockMask::ZeroUpperTriangle ? column <= row : column >= row);
      }
  std::unique_ptr<bool[]> flat(new bool[values.size() + 1]);
  for (std::size_t i = 0; i < values.size(); ++i) flat[i] = values[i];
  const Tensor made =
      graph.addConstant(poplar::BOOL, {s.blockRows.size(), s.height, s.width}, flat.get(), context);
  graph.setTileMapping(made, 0u);
  return made;
}

/// [rows of blocks, height] from a number for each row of each block, [blocks, height], by an
/// operation over the blocks of a row of blocks; and back to [blocks, height, 1].
Tensor overRows(Graph& graph, const Structure& s, const Tensor& t, popops::Operation operation,
                Sequence& prog, const DebugContext& context) {
  std::vector<Tensor> results;
  std::size_t at = 0;
  const std::size_t blocks = s.blockRows.size();
  while (at < blocks) {
    std::size_t end = at;
    while (end < blocks && s.blockRows[end] == s.blockRows[at]) ++end;
    const Tensor row = popops::reduce(graph, t.slice(at, end), {0}, operation, prog, context);
    results.push_back(row.expand({0}).broadcast(static_cast<unsigned>(end - at), 0));
    at = end;
  }
  return poplar::concat(results, 0).expand({2});
}

/// The softmax of blocks, [blocks, elements].
Tensor softmaxOf(const char* who, Graph& graph, const Tensor& t, const std::array<int, 2>& dim,
                 const std::array<int, 2>& blockSize, const std::vector<unsigned char>& sparsity,
                 SubBlockMask mask, unsigned groups, Sequence& prog, const DebugContext& context) {
  namespace pe = popops::expr;
  const auto size = [](int n) { return static_cast<std::size_t>(n < 0 ? 0 : n); };
  const Structure s = structureOf(who, size(dim[0]), size(dim[1]), size(blockSize[0]),
                                  size(blockSize[1]), sparsity.data(), sparsity.size());
  if (groups == 0 || s.rows % groups != 0)
    refuseBlocks(who, std::to_string(groups) + " groups of " + std::to_string(s.rows) + " rows");
  const std::size_t blocks = s.blockRows.size();
  checkBlocks(who, t, blocks, s);
  if (blocks == 0) return t;
  const poplar::Type type = t.elementType();
  Tensor x = t.reshape({blocks, s.height, s.width});
  if (type != poplar::FLOAT) x = popops::cast(graph, x, poplar::FLOAT, prog, context);
  Tensor left;
  if (mask != SubBlockMask::None) {
    left = kept(graph, s, mask, s.rows / groups, context);
    const pe::Const least(std::numeric_limits<float>::lowest());
    x = popops::map(graph, pe::Select(pe::_1, least, pe::_2), {x, left}, prog, context);
  }
  const Tensor most =
      overRows(graph, s, popops::reduce(graph, x, {2}, popops::Operation::MAX, prog, context),
               popops::Operation::MAX, prog, context);
  Tensor e = popops::map(graph, pe::Exp(pe::_1 - pe::_2), {x, most}, prog, context);
  if (mask != SubBlockMask::None)
    e = popops::map(graph, pe::Select(pe::_1, pe::Const(0.0f), pe::_2), {e, left}, prog, context);
  const Tensor sums =
      overRows(graph, s, popops::reduce(graph, e, {2}, popops::Operation::ADD, prog, context),
               popops::Operation::ADD, prog, context);
  // A row of which the mask leaves nothing has the sum 0, and stays 0.
  const auto share = pe::Select(pe::_1 / pe::_2, pe::Const(0.0f), pe::Gt(pe::_2, pe::Const(0.0f)));
  return popops::map(graph, pe::Cast(share, type), {e, sums}, prog, context).reshape(t.shape());
}

}  // namespace

Tensor bsSoftmax(Graph& graph, Tensor sparseTensor, const std::array<int, 2>& dim,
                 const std::array<int, 2>& blockSize, const std::vector<unsigned char>& sparsity,
                 SubBlockMask subBlockMaskType, unsigned numGroups, Sequence& prog,
                 const DebugContext& debugContext) {
  return softmaxOf("bsSoftmax", graph, sparseTensor, dim, blockSize, sparsity, subBlockMaskType,
                   numGroups, prog, {debugContext, "bsSoftmax"});
}

void bsSoftmaxInPlace(Graph& graph, Tensor sparseTensor, const std::array<int, 2>& dim,
                      const std::array<int, 2>& blockSize,
                      const std::vector<unsigned char>& sparsity, SubBlockMask subBlockMaskType,
                      unsigned numGroups, Sequence& prog, const DebugContext& debugContext) {
  const DebugContext context(debugContext, "bsSoftmaxInPlace");
  prog.add(poplar::program::Copy(softmaxOf("bsSoftmaxInPlace", graph, sparseTensor, dim, blockSize,
                                           sparsity, subBlockMaskType, numGroups, prog, context),
                                 sparseTensor, false, context));
}

Tensor bsSoftmaxGrad(Graph& graph, Tensor sparseOut, Tensor sparseOutGrad,
                     const std::array<int, 2>& dim, const std::array<int, 2>& blockSize,
                     const std::vector<unsigned char>& sparsity, Sequence& prog,
                     const DebugContext& debugContext) {
  namespace pe = popops::expr;
  const DebugContext context(debugContext, "bsSoftmaxGrad");
  const auto size = [](int n) { return static_cast<std::size_t>(n < 0 ? 0 : n); };
  const Structure s = structureOf("bsSoftmaxGrad", size(dim[0]), size(dim[1]), size(blockSize[0]),
                                  size(blockSize[1]), sparsity.data(), sparsity.size());
  const std::size_t blocks = s.blockRows.size();
  checkBlocks("bsSoftmaxGrad", sparseOut, blocks, s);
  checkBlocks("bsSoftmaxGrad", sparseOutGrad, blocks, s);
  if (blocks == 0) return sparseOut;
  const Tensor y = sparseOut.reshape({blocks, s.height, s.width});
  const Tensor dy = sparseOutGrad.reshape({blocks, s.height, s.width});
  const auto wide = [](const pe::Expr& e) { return pe::Cast(e, poplar::FLOAT); };
  const Tensor both = popops::map(graph, wide(pe::_1) * wide(pe::_2), {y, dy}, prog, context);
  const Tensor sums =
      overRows(graph, s, popops::reduce(graph, both, {2}, popops::Operation::ADD, prog, context),
               popops::Operation::ADD, prog, context);
  return popops::map(graph,
                     pe::Cast(wide(pe::_1) * (wide(pe::_2) - pe::_3), sparseOut.elementType()),
                     {y, dy, sums}, prog, context)
      .reshape(sparseOut.shape());
}

// ---- Products ----

class BSMatMulImpl {
 public:
  std::size_t m, k, n, groups;
  bool sparseResult, transpose;
  poplar::Type in, out;
  SubBlockMask mask;
  std::vector<Structure> sparse;  // one for each group

  std::size_t blocks() const {
    std::size_t count = 0;
    for (const Structure& s : sparse) count += s.blockRows.size();
    return count;
  }
};

namespace {

std::unique_ptr<BSMatMulImpl> described(const std::array<int, 3>& dim,
                                        const std::array<int, 3>& blockSize,
                                        const std::vector<unsigned char>& mask, bool sparseResult,
                                        bool transpose, poplar::Type in, poplar::Type out,
                                        SubBlockMask subBlockMask, unsigned groups) {
  for (const int n : {dim[0], dim[1], dim[2], blockSize[0], blockSize[1], blockSize[2]})
    if (n <= 0) refuseBlocks("BSMatMulParams", "a size of " + std::to_string(n));
  if (groups == 0 || mask.size() % groups != 0)
    refuseBlocks("BSMatMulParams", "a mask of " + std::to_string(mask.size()) + " numbers for " +
                                       std::to_string(groups) + " groups");
  const auto d = [&](int i) { return static_cast<std::size_t>(dim[static_cast<std::size_t>(i)]); };
  const auto b = [&](int i) {
    return static_cast<std::size_t>(blockSize[static_cast<std::size_t>(i)]);
  };
  auto made = std::make_unique<BSMatMulImpl>(
      BSMatMulImpl{d(0), d(1), d(2), groups, sparseResult, transpose, in, out, subBlockMask, {}});
  const int rows = sparseResult ? 0
                   : transpose  ? 2
                                : 1,
            columns = !sparseResult && transpose ? 1 : 2;
  const std::size_t each = mask.size() / groups;
  for (unsigned g = 0; g < groups; ++g)
    made->sparse.push_back(structureOf("BSMatMulParams", d(rows), d(columns), b(rows), b(columns),
                                       mask.data() + g * each, each));
  return made;
}

Tensor created(Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape,
               const DebugContext& context) {
  return graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, context);
}

std::vector<std::size_t> leftShape(const BSMatMulImpl& p) { return {p.groups * p.m, p.k}; }

std::vector<std::size_t> rightShape(const BSMatMulImpl& p) {
  if (p.sparseResult) return {p.groups * p.k, p.n};
  return {p.blocks(), p.sparse[0].height * p.sparse[0].width};
}

}  // namespace

BSMatMulParams::BSMatMulParams(const std::array<int, 3>& dim, const std::array<int, 3>& blockSize,
                               const std::vector<unsigned char>& rhsSparsity, bool rhsNeedTranspose,
                               poplar::Type inDataType, poplar::Type outDataType, poplar::Type,
                               unsigned numGroupsIn)
    : impl(described(dim, blockSize, rhsSparsity, false, rhsNeedTranspose, inDataType, outDataType,
                     SubBlockMask::None, numGroupsIn)) {}

BSMatMulParams::BSMatMulParams(const std::array<int, 3>& dim, const std::array<int, 3>& blockSize,
                               const std::vector<unsigned char>& resSparsity,
                               poplar::Type inDataType, poplar::Type outDataType, poplar::Type,
                               SubBlockMask subBlockMask, unsigned numGroupsIn)
    : impl(described(dim, blockSize, resSparsity, true, false, inDataType, outDataType,
                     subBlockMask, numGroupsIn)) {}

BSMatMulParams::BSMatMulParams(BSMatMulParams&& other) = default;
BSMatMulParams::~BSMatMulParams() = default;

Tensor createBSMatMulInputLHS(Graph& graph, const BSMatMulParams& bsMatMul,
                              const DebugContext& debugContext, const poplar::OptionFlags&) {
  return created(graph, bsMatMul.impl->in, leftShape(*bsMatMul.impl), debugContext);
}

Tensor createBSMatMulInputRHS(Graph& graph, const BSMatMulParams& bsMatMul,
                              const DebugContext& debugContext, const poplar::OptionFlags&) {
  return created(graph, bsMatMul.impl->in, rightShape(*bsMatMul.impl), debugContext);
}

Tensor bsMatMul(Graph& graph, const BSMatMulParams& bsMatMulParams, Sequence& prog,
                const Tensor& lhsMatrix, const Tensor& rhsMatrix, const poplar::OptionFlags&,
                const DebugContext& debugContext) {
  namespace pe = popops::expr;
  const BSMatMulImpl& p = *bsMatMulParams.impl;
  const DebugContext context(debugContext, "bsMatMul");
  if (lhsMatrix.shape() != leftShape(p) || rhsMatrix.shape() != rightShape(p) ||
      lhsMatrix.elementType() != p.in || rhsMatrix.elementType() != p.in)
    refuseBlocks("bsMatMul", "matrices " + lhsMatrix.shapeToString() + " and " +
                                 rhsMatrix.shapeToString() +
                                 "; make them by createBSMatMulInputLHS "
                                 "and createBSMatMulInputRHS");
  std::vector<Tensor> results;
  std::size_t at = 0;
  for (std::size_t g = 0; g < p.groups; ++g) {
    const Structure& s = p.sparse[g];
    const std::size_t blocks = s.blockRows.size();
    const Tensor left = lhsMatrix.slice(g * p.m, (g + 1) * p.m);
    popir::SparseBlocks matrix = {popir::constantIndices(graph, s.blockRows, context),
                                  popir::constantIndices(graph, s.blockColumns, context), Tensor(),
                                  s.gridRows(), s.gridColumns()};
    if (p.sparseResult) {
      Tensor made = popir::blocksOfProduct(graph, matrix, s.height, s.width, left,
                                           rhsMatrix.slice(g * p.k, (g + 1) * p.k), prog, context);
      if (p.mask != SubBlockMask::None)
        made = popops::map(graph, pe::Select(pe::_1, pe::Cast(pe::Const(0.0f), p.in), pe::_2),
                           {made, kept(graph, s, p.mask, p.m, context)}, prog, context);
      results.push_back(made.reshape({blocks, s.height * s.width}));
    } else {
      matrix.values = rhsMatrix.slice(at, at + blocks).reshape({blocks, s.height, s.width});
      // left x S = (S^T x left^T)^T; a matrix that is given transposed is S^T already.
      results.push_back(popir::sparseTimesDense(graph, p.transpose ? matrix : matrix.transposed(),
                                                left.transpose(), prog, context)
                            .transpose());
    }
    at += blocks;
  }
  const Tensor made = poplar::concat(results, 0);
  return p.out == p.in ? made : popops::cast(graph, made, p.out, prog, context);
}

}  // namespace experimental
}  // namespace popsparse
