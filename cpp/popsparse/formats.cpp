// Formats of sparse matrices, and what of them is written to tensors.
#include <popsparse/SparsePartitioner.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <map>
#include <string>

namespace popsparse {
namespace detail {
namespace {

[[noreturn]] void refuseMatrix(const std::string& what) {
  throw poputil::poplibs_error("popsparse: " + what);
}

/// Blocks by place. Elements of a block by rows.
template <typename T>
class Blocks {
 public:
  Blocks(std::size_t rows, std::size_t columns, std::array<std::size_t, 2> block)
      : rows_(rows), columns_(columns), block_(block) {}

  void add(std::size_t row, std::size_t column, const T* values, bool byColumns = false) {
    const std::size_t height = block_[0], width = block_[1];
    if (row % height != 0 || column % width != 0 || row + height > rows_ ||
        column + width > columns_)
      refuseMatrix("a block of " + std::to_string(height) + "x" + std::to_string(width) +
                   " elements at row " + std::to_string(row) + ", column " +
                   std::to_string(column) + ", in a matrix of " + std::to_string(rows_) + "x" +
                   std::to_string(columns_) + "; its place is a multiple of its size");
    std::vector<T> kept(height * width);
    for (std::size_t r = 0; r < height; ++r)
      for (std::size_t c = 0; c < width; ++c)
        kept[r * width + c] = byColumns ? values[c * height + r] : values[r * width + c];
    if (!all_.emplace(std::make_pair(row, column), std::move(kept)).second)
      refuseMatrix("two blocks at row " + std::to_string(row) + ", column " +
                   std::to_string(column));
  }

  COOMatrix<T> matrix() const {
    COOMatrix<T> made(block_);
    made.numRows = rows_;
    made.numColumns = columns_;
    for (const auto& each : all_) {
      made.rowIndices.push_back(each.first.first);
      made.columnIndices.push_back(each.first.second);
      made.nzValues.insert(made.nzValues.end(), each.second.begin(), each.second.end());
    }
    return made;
  }

 private:
  std::size_t rows_, columns_;
  std::array<std::size_t, 2> block_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<T>> all_;
};

void checkCounts(std::size_t blocks, std::size_t values, std::size_t blockSize) {
  if (blocks * blockSize != values)
    refuseMatrix(std::to_string(values) + " values for " + std::to_string(blocks) +
                 " indices of blocks of " + std::to_string(blockSize) + " elements");
}

}  // namespace

template <typename T>
COOMatrix<T> ordered(const COOMatrix<T>& matrix, std::size_t rows, std::size_t columns) {
  const std::size_t size = matrix.getBlockSize(), count = matrix.rowIndices.size();
  checkCounts(count, matrix.nzValues.size(), size);
  checkCounts(matrix.columnIndices.size(), matrix.nzValues.size(), size);
  Blocks<T> blocks(rows, columns, matrix.getBlockDimensions());
  for (std::size_t i = 0; i < count; ++i)
    blocks.add(matrix.rowIndices[i], matrix.columnIndices[i], &matrix.nzValues[i * size]);
  return blocks.matrix();
}

template <typename T>
COOMatrix<T> ordered(const CSRMatrix<T>& matrix, std::size_t rows, std::size_t columns) {
  const std::size_t size = matrix.getBlockSize();
  checkCounts(matrix.columnIndices.size(), matrix.nzValues.size(), size);
  Blocks<T> blocks(rows, columns, matrix.getBlockDimensions());
  for (std::size_t r = 0; r + 1 < matrix.rowIndices.size(); ++r)
    for (std::size_t at = matrix.rowIndices[r]; at < matrix.rowIndices[r + 1]; at += size) {
      if (at + size > matrix.nzValues.size()) refuseMatrix("a row begins beyond the values");
      blocks.add(r * matrix.getNumRowsInBlock(), matrix.columnIndices[at / size],
                 &matrix.nzValues[at]);
    }
  return blocks.matrix();
}

template <typename T>
COOMatrix<T> ordered(const CSCMatrix<T>& matrix, std::size_t rows, std::size_t columns) {
  const std::size_t size = matrix.getBlockSize();
  checkCounts(matrix.rowIndices.size(), matrix.nzValues.size(), size);
  Blocks<T> blocks(rows, columns, matrix.getBlockDimensions());
  for (std::size_t c = 0; c + 1 < matrix.columnIndices.size(); ++c)
    for (std::size_t at = matrix.columnIndices[c]; at < matrix.columnIndices[c + 1]; at += size) {
      if (at + size > matrix.nzValues.size()) refuseMatrix("a column begins beyond the values");
      blocks.add(matrix.rowIndices[at / size], c * matrix.getNumColumnsInBlock(),
                 &matrix.nzValues[at], true);
    }
  return blocks.matrix();
}

template <typename T>
CSRMatrix<T> byRows(const COOMatrix<T>& matrix) {
  CSRMatrix<T> made(matrix.getBlockDimensions());
  made.numRows = matrix.numRows;
  made.numColumns = matrix.numColumns;
  made.nzValues = matrix.nzValues;
  made.columnIndices = matrix.columnIndices;
  const std::size_t height = matrix.getNumRowsInBlock();
  made.rowIndices.assign(matrix.numRows / height + 1, 0);
  for (const std::size_t row : matrix.rowIndices)
    made.rowIndices[row / height + 1] += matrix.getBlockSize();
  for (std::size_t r = 1; r < made.rowIndices.size(); ++r)
    made.rowIndices[r] += made.rowIndices[r - 1];
  return made;
}

template <typename T>
CSCMatrix<T> byColumns(const COOMatrix<T>& matrix) {
  CSCMatrix<T> made(matrix.getBlockDimensions());
  made.numRows = matrix.numRows;
  made.numColumns = matrix.numColumns;
  const std::size_t height = matrix.getNumRowsInBlock(), width = matrix.getNumColumnsInBlock();
  std::vector<std::size_t> order(matrix.rowIndices.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return matrix.columnIndices[a] < matrix.columnIndices[b];
  });
  made.columnIndices.assign(matrix.numColumns / width + 1, 0);
  for (const std::size_t i : order) {
    made.rowIndices.push_back(matrix.rowIndices[i]);
    made.columnIndices[matrix.columnIndices[i] / width + 1] += height * width;
    for (std::size_t c = 0; c < width; ++c)
      for (std::size_t r = 0; r < height; ++r)
        made.nzValues.push_back(matrix.nzValues[i * height * width + r * width + c]);
  }
  for (std::size_t c = 1; c < made.columnIndices.size(); ++c)
    made.columnIndices[c] += made.columnIndices[c - 1];
  return made;
}

#define POPSPARSE_DEFINE(T)                                                     \
  template COOMatrix<T> ordered(const COOMatrix<T>&, std::size_t, std::size_t); \
  template COOMatrix<T> ordered(const CSRMatrix<T>&, std::size_t, std::size_t); \
  template COOMatrix<T> ordered(const CSCMatrix<T>&, std::size_t, std::size_t); \
  template CSRMatrix<T> byRows(const COOMatrix<T>&);                            \
  template CSCMatrix<T> byColumns(const COOMatrix<T>&);
POPSPARSE_DEFINE(float)
POPSPARSE_DEFINE(double)
#undef POPSPARSE_DEFINE

}  // namespace detail

namespace dynamic {

template <typename T>
SparsityDataImpl<T> Partitioner<T>::data(const COOMatrix<T>& matrix) const {
  const auto& sparsity = params_.getSparsityParams();
  if (matrix.getBlockDimensions() != sparsity.blockDimensions)
    detail::refuseMatrix("a matrix of blocks of " + std::to_string(matrix.getNumRowsInBlock()) +
                         "x" + std::to_string(matrix.getNumColumnsInBlock()) +
                         " elements, for parameters with blocks of " +
                         std::to_string(sparsity.blockDimensions[0]) + "x" +
                         std::to_string(sparsity.blockDimensions[1]));
  const std::size_t room = params_.getNumNonZeroValues() / sparsity.blockSize();
  const std::size_t blocks = matrix.rowIndices.size();
  if (blocks > room)
    detail::refuseMatrix("a matrix of " + std::to_string(blocks) +
                         " blocks, where the parameters have room for " + std::to_string(room) +
                         "; make them with a larger share of elements that are not zero");
  SparsityDataImpl<T> made;
  made.metaInfo.assign(2 * room, detail::unusedBlock);
  made.nzValues = matrix.nzValues;
  made.nzValues.resize(room * sparsity.blockSize(), T(0));
  for (std::size_t i = 0; i < blocks; ++i) {
    made.metaInfo[i] = matrix.rowIndices[i] / sparsity.blockDimensions[0];
    made.metaInfo[room + i] = matrix.columnIndices[i] / sparsity.blockDimensions[1];
  }
  return made;
}

template <typename T>
COOMatrix<T> Partitioner<T>::sparsityDataImplToCOOMatrix(const SparsityDataImpl<T>& data) const {
  const auto& block = params_.getSparsityParams().blockDimensions;
  const std::size_t room = data.metaInfo.size() / 2, size = block[0] * block[1];
  COOMatrix<T> made(block);
  made.numRows = params_.getM();
  made.numColumns = params_.getK();
  for (std::size_t i = 0; i < room; ++i) {
    if (data.metaInfo[i] == detail::unusedBlock) continue;
    made.rowIndices.push_back(data.metaInfo[i] * block[0]);
    made.columnIndices.push_back(data.metaInfo[room + i] * block[1]);
    for (std::size_t j = 0; j < size; ++j) made.nzValues.push_back(data.nzValues[i * size + j]);
  }
  return made;
}

template class Partitioner<float>;
template class Partitioner<double>;

}  // namespace dynamic
}  // namespace popsparse
