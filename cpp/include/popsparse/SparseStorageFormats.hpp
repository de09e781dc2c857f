// Sparse matrices on the host. After popsparse/SparseStorageFormats.hpp of PopLibs 3.
//
// A matrix consists of blocks, of one element each by default. Indices of rows and columns are those
// of elements: of the first element of a block.
#ifndef popsparse_SparseStorageFormats_hpp
#define popsparse_SparseStorageFormats_hpp

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace popsparse {

/// The sizes of a block: rows, columns.
struct Block {
  explicit Block(const std::array<std::size_t, 2>& dimensions) : blockDimensions(dimensions) {}

  std::size_t getNumColumnsInBlock() const { return blockDimensions[1]; }
  std::size_t getNumRowsInBlock() const { return blockDimensions[0]; }
  std::size_t getBlockSize() const { return blockDimensions[0] * blockDimensions[1]; }
  std::array<std::size_t, 2> getBlockDimensions() const { return blockDimensions; }

 protected:
  std::array<std::size_t, 2> blockDimensions;
};

/// Coordinates: row and column of each block. Elements of a block by rows.
template <typename T>
struct COOMatrix : Block {
  std::size_t numRows = 0;
  std::size_t numColumns = 0;
  std::vector<T> nzValues;
  std::vector<std::size_t> columnIndices;
  std::vector<std::size_t> rowIndices;

  COOMatrix(std::vector<T> values, std::vector<std::size_t> columns, std::vector<std::size_t> rows,
            const std::array<std::size_t, 2>& blockDimensions_ = {1, 1})
      : Block(blockDimensions_),
        nzValues(std::move(values)),
        columnIndices(std::move(columns)),
        rowIndices(std::move(rows)) {}
  COOMatrix(std::size_t numRows_, std::size_t numColumns_, std::vector<T> values,
            std::vector<std::size_t> columns, std::vector<std::size_t> rows,
            const std::array<std::size_t, 2>& blockDimensions_ = {1, 1})
      : COOMatrix(std::move(values), std::move(columns), std::move(rows), blockDimensions_) {
    numRows = numRows_;
    numColumns = numColumns_;
  }
  explicit COOMatrix(std::size_t numNZValues,
                     const std::array<std::size_t, 2>& blockDimensions_ = {1, 1})
      : Block(blockDimensions_),
        nzValues(numNZValues),
        columnIndices(numNZValues),
        rowIndices(numNZValues) {}
  COOMatrix(const std::array<std::size_t, 2>& blockDimensions_ = {1, 1})
      : Block(blockDimensions_) {}
};

/// By columns: the blocks of block column i are those from value columnIndices[i] on. Elements of a
/// block by columns.
template <typename T>
struct CSCMatrix : Block {
  std::size_t numRows = 0;
  std::size_t numColumns = 0;
  std::vector<T> nzValues;
  std::vector<std::size_t> columnIndices;
  std::vector<std::size_t> rowIndices;

  CSCMatrix(std::vector<T> values, std::vector<std::size_t> columns, std::vector<std::size_t> rows,
            const std::array<std::size_t, 2>& blockDimensions_ = {1, 1})
      : Block(blockDimensions_),
        nzValues(std::move(values)),
        columnIndices(std::move(columns)),
        rowIndices(std::move(rows)) {}
  CSCMatrix(std::size_t numRows_, std::size_t numColumns_, std::vector<T> values,
            std::vector<std::size_t> columns, std::vector<std::size_t> rows,
            const std::array<std::size_t, 2>& blockDimensions_ = {1, 1})
      : CSCMatrix(std::move(values), std::move(columns), std::move(rows), blockDimensions_) {
    numRows = numRows_;
    numColumns = numColumns_;
  }
  CSCMatrix(std::size_t numNZValues, std::size_t numColumns_,
            const std::array<std::size_t, 2>& blockDimensions_ = {1, 1})
      : Block(blockDimensions_),
        nzValues(numNZValues),
        columnIndices(numColumns_ + 1),
        rowIndices(numNZValues) {}
  CSCMatrix(const std::array<std::size_t, 2>& blockDimensions_ = {1, 1})
      : Block(blockDimensions_) {}
};

/// By rows: the blocks of block row i are those from value rowIndices[i] on. Elements of a block by
/// rows.
template <typename T>
struct CSRMatrix : Block {
  std::size_t numRows = 0;
  std::size_t numColumns = 0;
  std::vector<T> nzValues;
  std::vector<std::size_t> columnIndices;
  std::vector<std::size_t> rowIndices;

  CSRMatrix(std::vector<T> values, std::vector<std::size_t> columns, std::vector<std::size_t> rows,
            const std::array<std::size_t, 2>& blockDimensions_ = {1, 1})
      : Block(blockDimensions_),
        nzValues(std::move(values)),
        columnIndices(std::move(columns)),
        rowIndices(std::move(rows)) {}
  CSRMatrix(std::size_t numRows_, std::size_t numColumns_, std::vector<T> values,
            std::vector<std::size_t> columns, std::vector<std::size_t> rows,
            const std::array<std::size_t, 2>& blockDimensions_ = {1, 1})
      : CSRMatrix(std::move(values), std::move(columns), std::move(rows), blockDimensions_) {
    numRows = numRows_;
    numColumns = numColumns_;
  }
  CSRMatrix(std::size_t numNZValues, std::size_t numRows_,
            const std::array<std::size_t, 2>& blockDimensions_ = {1, 1})
      : Block(blockDimensions_),
        nzValues(numNZValues),
        columnIndices(numNZValues),
        rowIndices(numRows_ + 1) {}
  CSRMatrix(const std::array<std::size_t, 2>& blockDimensions_ = {1, 1})
      : Block(blockDimensions_) {}
};

}  // namespace popsparse
#pragma GCC visibility pop

#endif
