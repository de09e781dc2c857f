// Products with sparse matrices, layers and embeddings.
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>
#include <popsparse/Embedding.hpp>
#include <popsparse/FullyConnected.hpp>
#include <popsparse/MatMul.hpp>
#include <popsparse/SparsePartitioner.hpp>
#include <poputil/exceptions.hpp>

#include <memory>
#include <string>

#include "popsparse/blocks.hpp"

namespace popsparse {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

/// What a SparseTensor knows of its matrix; for a static one, the places of its blocks too.
struct MatrixData final : poputil::TensorMetaDataBase {
  std::size_t rows = 0, columns = 0;
  std::array<std::size_t, 2> block = {1, 1};
  std::vector<std::size_t> blockRows, blockColumns;  // of a static matrix, by block

  std::unique_ptr<TensorMetaDataBase> clone() const override {
    return std::make_unique<MatrixData>(*this);
  }
};

template <class SPARSE>
const MatrixData& dataOf(const char* who, const SPARSE& t) {
  const auto* data = dynamic_cast<const MatrixData*>(t.getOpMetaData().getData());
  if (data == nullptr)
    throw poputil::poplibs_error(
        std::string("popsparse::") + who +
        ": the sparse tensor does not know its matrix; give it "
        "the meta data (getOpMetaData()) of the one that its create function made");
  return *data;
}

Tensor linear(Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape,
              const DebugContext& context) {
  return graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, context);
}

popir::SparseBlocks blocksOf(Graph& graph, const MatrixData& data, const Tensor& metaInfo,
                             const Tensor& values, Sequence& prog, const DebugContext& context) {
  const std::size_t size = data.block[0] * data.block[1];
  const std::size_t count = values.numElements() / size;
  if (metaInfo.numElements() != 2 * count || metaInfo.elementType() != poplar::UNSIGNED_SHORT)
    throw poputil::poplibs_error(
        "popsparse: meta information of " + metaInfo.elementType().toString() + " " +
        metaInfo.shapeToString() + " for " + std::to_string(count) +
        " blocks; give UNSIGNED_SHORT [" + std::to_string(2 * count) + "]");
  const Tensor wide = popops::cast(graph, metaInfo.flatten(), poplar::UNSIGNED_INT, prog, context);
  return {wide.slice(0, count), wide.slice(count, 2 * count),
          values.reshape({count, data.block[0], data.block[1]}), data.rows / data.block[0],
          data.columns / data.block[1]};
}

popir::SparseBlocks blocksOf(Graph& graph, const MatrixData& data, const Tensor& values,
                             const DebugContext& context) {
  const std::size_t count = data.blockRows.size();
  return {popir::constantIndices(graph, data.blockRows, context),
          popir::constantIndices(graph, data.blockColumns, context),
          values.reshape({count, data.block[0], data.block[1]}), data.rows / data.block[0],
          data.columns / data.block[1]};
}

/// sparse x dense, [1, rows, n] for [1, columns, n].
Tensor product(const char* who, Graph& graph, const popir::SparseBlocks& matrix,
               const Tensor& dense, Sequence& prog, const DebugContext& context) {
  const std::size_t columns = matrix.blockColumns * matrix.values.dim(2);
  if (dense.rank() != 3 || dense.dim(0) != 1 || dense.dim(1) != columns ||
      dense.elementType() != matrix.values.elementType())
    throw poputil::poplibs_error(std::string("popsparse::") + who + ": the dense matrix is " +
                                 dense.elementType().toString() + " " + dense.shapeToString() +
                                 "; give " + matrix.values.elementType().toString() + " [1, " +
                                 std::to_string(columns) +
                                 ", n], or what becomes it by transposition");
  return popir::sparseTimesDense(graph, matrix, dense.squeeze({0}), prog, context).expand({0});
}

Tensor transposedIf(bool transpose, const Tensor& t) {
  return transpose && t.rank() == 3 ? t.dimShuffle({0, 2, 1}) : t;
}

std::unique_ptr<MatrixData> dataOf(const dynamic::MatMulParams& params) {
  auto data = std::make_unique<MatrixData>();
  data->rows = params.getM();
  data->columns = params.getK();
  data->block = params.getSparsityParams().blockDimensions;
  return data;
}

/// The weights of a layer whose parameters say what their matrix is, whether they know it or not.
dynamic::SparseTensor weightsOf(const dynamic::SparseTensor& weights,
                                const dynamic::FullyConnectedParams& params) {
  return {weights.getMetaInfoTensor(), weights.getNzValuesTensor(),
          poputil::TensorMetaData(dataOf(params.product()))};
}

}  // namespace

namespace dynamic {

SparseTensor createSparseDenseMatMulLHS(Graph& graph, const poplar::Type& inputType,
                                        const MatMulParams& params,
                                        const DebugContext& debugContext,
                                        const poplar::OptionFlags&, PlanningCache*) {
  const std::size_t values = params.getNumNonZeroValues();
  const std::size_t blocks = values / params.getSparsityParams().blockSize();
  return {linear(graph, poplar::UNSIGNED_SHORT, {2 * blocks}, {debugContext, "metaInfo"}),
          linear(graph, inputType, {values}, {debugContext, "nzValues"}),
          poputil::TensorMetaData(dataOf(params))};
}

Tensor createSparseDenseMatMulRHS(Graph& graph, const poplar::Type& inputType,
                                  const MatMulParams& params, const DebugContext& debugContext,
                                  const poplar::OptionFlags&, PlanningCache*) {
  return linear(graph, inputType, {params.getNumGroups(), params.getK(), params.getN()},
                debugContext);
}

Tensor sparseDenseMatMul(Graph& graph, const SparseTensor& lhs, const Tensor& rhs, Sequence& prog,
                         bool transposeLHS, bool transposeRHS, const DebugContext& debugContext,
                         const poplar::OptionFlags&, PlanningCache*) {
  const DebugContext context(debugContext, "sparseDenseMatMul");
  const auto matrix = blocksOf(graph, dataOf("sparseDenseMatMul", lhs), lhs.getMetaInfoTensor(),
                               lhs.getNzValuesTensor(), prog, context);
  return product("sparseDenseMatMul", graph, transposeLHS ? matrix.transposed() : matrix,
                 transposedIf(transposeRHS, rhs), prog, context);
}

SparseTensor createFullyConnectedWeights(Graph& graph, const poplar::Type& inputType,
                                         const FullyConnectedParams& params,
                                         const DebugContext& debugContext,
                                         const poplar::OptionFlags& options, PlanningCache* cache) {
  return createSparseDenseMatMulLHS(graph, inputType, params.product(), debugContext, options,
                                    cache);
}

Tensor createFullyConnectedInput(Graph& graph, const poplar::Type& inputType,
                                 const FullyConnectedParams& params,
                                 const DebugContext& debugContext, const poplar::OptionFlags&,
                                 PlanningCache*) {
  return linear(graph, inputType, {params.getBatchSize(), params.getInputChannels()}, debugContext);
}

Tensor fullyConnectedFwd(Graph& graph, const SparseTensor& weights, const Tensor& activations,
                         const FullyConnectedParams& fcParams, Sequence& prog,
                         const DebugContext& debugContext, const poplar::OptionFlags& options,
                         PlanningCache* cache) {
  return sparseDenseMatMul(graph, weightsOf(weights, fcParams), activations.expand({0}), prog,
                           false, true, {debugContext, "fullyConnected"}, options, cache)
      .squeeze({0})
      .transpose();
}

Tensor fullyConnectedGradA(Graph& graph, const SparseTensor& weights, const Tensor& gradients,
                           const FullyConnectedParams& fcParams, Sequence& prog,
                           const DebugContext& debugContext, const poplar::OptionFlags& options,
                           PlanningCache* cache) {
  return sparseDenseMatMul(graph, weightsOf(weights, fcParams), gradients.expand({0}), prog, true,
                           true, {debugContext, "fullyConnectedGradA"}, options, cache)
      .squeeze({0})
      .transpose();
}

Tensor fullyConnectedSparseGradW(Graph& graph, const Tensor sparsityMetaInfo, const Tensor& gradA,
                                 const Tensor& activations, const FullyConnectedParams& fcParams,
                                 Sequence& prog, const DebugContext& debugContext,
                                 const poplar::OptionFlags&, PlanningCache*) {
  const DebugContext context(debugContext, "fullyConnectedGradW");
  const auto& block = fcParams.getSparsityParams().blockDimensions;
  if (gradA.rank() != 2 || activations.rank() != 2 || gradA.dim(0) != activations.dim(0) ||
      gradA.dim(1) != fcParams.getOutputChannels() ||
      activations.dim(1) != fcParams.getInputChannels())
    throw poputil::poplibs_error("popsparse::fullyConnectedSparseGradW: gradients " +
                                 gradA.shapeToString() + " and inputs " +
                                 activations.shapeToString() + "; give [batch, " +
                                 std::to_string(fcParams.getOutputChannels()) + "] and [batch, " +
                                 std::to_string(fcParams.getInputChannels()) + "]");
  const std::size_t count = sparsityMetaInfo.numElements() / 2;
  const Tensor wide =
      popops::cast(graph, sparsityMetaInfo.flatten(), poplar::UNSIGNED_INT, prog, context);
  const popir::SparseBlocks places = {wide.slice(0, count), wide.slice(count, 2 * count), Tensor(),
                                      fcParams.getOutputChannels() / block[0],
                                      fcParams.getInputChannels() / block[1]};
  return popir::blocksOfProduct(graph, places, block[0], block[1], gradA.transpose(), activations,
                                prog, context)
      .flatten();
}

std::tuple<unsigned, unsigned, unsigned> fullyConnectedDenseGradWSerialSplits(
    const Graph&, const poplar::Type&, const FullyConnectedParams&, const poplar::OptionFlags&,
    PlanningCache*) {
  return std::make_tuple(1u, 1u, 1u);
}

Tensor createIndicesTensor(Graph& graph, const FullyConnectedParams&, std::size_t numIndices,
                           const poplar::OptionFlags&, const DebugContext& debugContext) {
  return linear(graph, poplar::UNSIGNED_INT, {numIndices}, debugContext);
}

Tensor createSliceTensor(Graph& graph, const poplar::Type& dataType,
                         const FullyConnectedParams& params, std::size_t numIndices,
                         const DebugContext& debugContext, const poplar::OptionFlags&,
                         PlanningCache*) {
  return linear(graph, dataType, {numIndices, params.getInputChannels()}, debugContext);
}

Tensor embeddingSlice(Graph& graph, const SparseTensor& t, const Tensor& indices, Sequence& prog,
                      const FullyConnectedParams& params, const DebugContext& debugContext,
                      const poplar::OptionFlags&, PlanningCache*) {
  const DebugContext context(debugContext, "embeddingSlice");
  const auto matrix = blocksOf(graph, *dataOf(params.product()), t.getMetaInfoTensor(),
                               t.getNzValuesTensor(), prog, context);
  const Tensor dense = popir::denseOf(graph, matrix, prog, context);
  return popops::multiSlice(graph, dense, indices.flatten().expand({1}), {0}, {1}, prog,
                            popops::SlicePlan(), {}, context)
      .squeeze({1});
}

void embeddingUpdateAdd(Graph& graph, const SparseTensor& t, const Tensor& slices,
                        const Tensor& indices, const Tensor& scale, Sequence& prog,
                        const FullyConnectedParams& params, const DebugContext& debugContext,
                        const poplar::OptionFlags&, PlanningCache*) {
  const DebugContext context(debugContext, "embeddingUpdateAdd");
  const auto matrix = blocksOf(graph, *dataOf(params.product()), t.getMetaInfoTensor(),
                               t.getNzValuesTensor(), prog, context);
  const Tensor sums = linear(graph, slices.elementType(),
                             {params.getOutputChannels(), params.getInputChannels()}, context);
  popops::zero(graph, sums, prog, context);
  popops::multiUpdateAdd(graph, sums, slices.expand({1}), indices.flatten().expand({1}), scale, {0},
                         {1}, prog, popops::SlicePlan(), {}, context);
  const Tensor added = popir::blocksOf(graph, matrix, matrix.values.dim(1), matrix.values.dim(2),
                                       sums, prog, context);
  popops::addInPlace(graph, t.getNzValuesTensor(), added.reshape(t.getNzValuesTensor().shape()),
                     prog, context);
}

}  // namespace dynamic

namespace static_ {
namespace {

template <typename T>
SparseTensor created(Graph& graph, const poplar::Type& type, const CSRMatrix<T>& csr,
                     std::size_t rows, std::size_t columns, const DebugContext& debugContext) {
  const auto matrix = detail::ordered(csr, rows, columns);
  auto data = std::make_unique<MatrixData>();
  data->rows = rows;
  data->columns = columns;
  data->block = matrix.getBlockDimensions();
  for (const std::size_t row : matrix.rowIndices) data->blockRows.push_back(row / data->block[0]);
  for (const std::size_t column : matrix.columnIndices)
    data->blockColumns.push_back(column / data->block[1]);
  const Tensor values = linear(graph, type, {matrix.nzValues.size()}, {debugContext, "nzValues"});
  return SparseTensor(values, poputil::TensorMetaData(std::move(data)));
}

}  // namespace

template <typename T>
SparseTensor createSparseDenseMatMulLHS(Graph& graph, const poplar::Type& inputType,
                                        const MatMulParams& params, const CSRMatrix<T>& csrLHS,
                                        const DebugContext& debugContext,
                                        const poplar::OptionFlags&, PlanningCache*) {
  return created(graph, inputType, csrLHS, params.getM(), params.getK(), debugContext);
}

template <typename T>
SparseTensor createDenseSparseMatMulRHS(Graph& graph, const poplar::Type& inputType,
                                        const MatMulParams& params, const CSRMatrix<T>& csrRHS,
                                        const DebugContext& debugContext,
                                        const poplar::OptionFlags&, PlanningCache*) {
  return created(graph, inputType, csrRHS, params.getK(), params.getM(), debugContext);
}

template <typename T>
Tensor createSparseDenseMatMulRHS(Graph& graph, const poplar::Type& inputType,
                                  const MatMulParams& params, const CSRMatrix<T>&,
                                  const DebugContext& debugContext, const poplar::OptionFlags,
                                  PlanningCache*) {
  return linear(graph, inputType, {params.getNumGroups(), params.getK(), params.getN()},
                debugContext);
}

template <typename T>
Tensor createDenseSparseMatMulLHS(Graph& graph, const poplar::Type& inputType,
                                  const MatMulParams& params, const CSRMatrix<T>&,
                                  const DebugContext& debugContext, const poplar::OptionFlags,
                                  PlanningCache*) {
  return linear(graph, inputType, {params.getNumGroups(), params.getN(), params.getK()},
                debugContext);
}

#define POPSPARSE_DEFINE(T)                                                                       \
  template SparseTensor createSparseDenseMatMulLHS<T>(                                            \
      Graph&, const poplar::Type&, const MatMulParams&, const CSRMatrix<T>&, const DebugContext&, \
      const poplar::OptionFlags&, PlanningCache*);                                                \
  template SparseTensor createDenseSparseMatMulRHS<T>(                                            \
      Graph&, const poplar::Type&, const MatMulParams&, const CSRMatrix<T>&, const DebugContext&, \
      const poplar::OptionFlags&, PlanningCache*);                                                \
  template Tensor createSparseDenseMatMulRHS<T>(Graph&, const poplar::Type&, const MatMulParams&, \
                                                const CSRMatrix<T>&, const DebugContext&,         \
                                                const poplar::OptionFlags, PlanningCache*);       \
  template Tensor createDenseSparseMatMulLHS<T>(Graph&, const poplar::Type&, const MatMulParams&, \
                                                const CSRMatrix<T>&, const DebugContext&,         \
                                                const poplar::OptionFlags, PlanningCache*);
POPSPARSE_DEFINE(float)
POPSPARSE_DEFINE(double)
#undef POPSPARSE_DEFINE

Tensor sparseDenseMatMul(Graph& graph, const SparseTensor& lhs, const Tensor& rhs, Sequence& prog,
                         bool transposeLHS, bool transposeRHS, const DebugContext& debugContext,
                         const poplar::OptionFlags&, PlanningCache*) {
  const DebugContext context(debugContext, "sparseDenseMatMul");
  const auto matrix =
      blocksOf(graph, dataOf("sparseDenseMatMul", lhs), lhs.getNzValuesTensor(), context);
  return product("sparseDenseMatMul", graph, transposeLHS ? matrix.transposed() : matrix,
                 transposedIf(transposeRHS, rhs), prog, context);
}

Tensor denseSparseMatMul(Graph& graph, const Tensor& lhs, const SparseTensor& rhs, Sequence& prog,
                         bool transposeLHS, bool transposeRHS, const DebugContext& debugContext,
                         const poplar::OptionFlags&, PlanningCache*) {
  const DebugContext context(debugContext, "denseSparseMatMul");
  const auto matrix =
      blocksOf(graph, dataOf("denseSparseMatMul", rhs), rhs.getNzValuesTensor(), context);
  // (D S)^T = S^T D^T
  return transposedIf(
      true, product("denseSparseMatMul", graph, transposeRHS ? matrix : matrix.transposed(),
                    transposedIf(!transposeLHS, lhs), prog, context));
}

}  // namespace static_
}  // namespace popsparse
