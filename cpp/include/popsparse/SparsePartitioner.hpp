// What is written to a sparse tensor. After popsparse/SparsePartitioner.hpp of PopLibs 3.
#ifndef popsparse_SparsePartitioner_hpp
#define popsparse_SparsePartitioner_hpp

#include <poplar/Interval.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>
#include <poplar/Type.hpp>
#include <popsparse/FullyConnected.hpp>
#include <popsparse/FullyConnectedParams.hpp>
#include <popsparse/MatMulParams.hpp>
#include <popsparse/SparseStorageFormats.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace popsparse {
namespace detail {

/// A matrix of rows x columns in coordinates, by rows. The formats are turned into one another by it.
// The pragma does not reach what is made of templates of functions.
#define POPSPARSE_EXPORT __attribute__((visibility("default")))
template <typename T>
POPSPARSE_EXPORT COOMatrix<T> ordered(const COOMatrix<T>& matrix, std::size_t rows,
                                      std::size_t columns);
template <typename T>
POPSPARSE_EXPORT COOMatrix<T> ordered(const CSRMatrix<T>& matrix, std::size_t rows,
                                      std::size_t columns);
template <typename T>
POPSPARSE_EXPORT COOMatrix<T> ordered(const CSCMatrix<T>& matrix, std::size_t rows,
                                      std::size_t columns);
template <typename T>
POPSPARSE_EXPORT CSRMatrix<T> byRows(const COOMatrix<T>& matrix);
template <typename T>
POPSPARSE_EXPORT CSCMatrix<T> byColumns(const COOMatrix<T>& matrix);

#undef POPSPARSE_EXPORT

#define POPSPARSE_DECLARE(T)                                                           \
  extern template COOMatrix<T> ordered(const COOMatrix<T>&, std::size_t, std::size_t); \
  extern template COOMatrix<T> ordered(const CSRMatrix<T>&, std::size_t, std::size_t); \
  extern template COOMatrix<T> ordered(const CSCMatrix<T>&, std::size_t, std::size_t); \
  extern template CSRMatrix<T> byRows(const COOMatrix<T>&);                            \
  extern template CSCMatrix<T> byColumns(const COOMatrix<T>&);
POPSPARSE_DECLARE(float)
POPSPARSE_DECLARE(double)
#undef POPSPARSE_DECLARE

/// Marks room for a block that is not used.
constexpr std::size_t unusedBlock = 65535;

}  // namespace detail

namespace dynamic {

/// The contents of the two tensors of a SparseTensor: `metaInfo` as UNSIGNED_SHORT.
template <typename T>
struct SparsityDataImpl {
  std::vector<std::size_t> metaInfo;
  std::vector<T> nzValues;
};

/// Makes these contents of matrices, and matrices of them.
template <typename T>
class Partitioner {
 public:
  Partitioner(const MatMulParams& params, const poplar::Type&, const poplar::Target&,
              const poplar::OptionFlags&, PlanningCache* = nullptr, std::string = "")
      : params_(params) {}
  Partitioner(const FullyConnectedParams& params, const poplar::Type& dataType,
              const poplar::Target& target, const poplar::OptionFlags& options,
              PlanningCache* cache = nullptr, std::string name = "")
      : Partitioner(params.product(), dataType, target, options, cache, std::move(name)) {}

  /// \throws poputil::poplibs_error if a block lies outside of the matrix, or there are more than
  /// the parameters have room for
  SparsityDataImpl<T> createSparsityDataImpl(const CSCMatrix<T>& matrix) const {
    return data(detail::ordered(matrix, params_.getM(), params_.getK()));
  }
  SparsityDataImpl<T> createSparsityDataImpl(const CSRMatrix<T>& matrix) const {
    return data(detail::ordered(matrix, params_.getM(), params_.getK()));
  }
  SparsityDataImpl<T> createSparsityDataImpl(const COOMatrix<T>& matrix) const {
    return data(detail::ordered(matrix, params_.getM(), params_.getK()));
  }
  COOMatrix<T> sparsityDataImplToCOOMatrix(const SparsityDataImpl<T>& data) const;
  CSRMatrix<T> sparsityDataImplToCSRMatrix(const SparsityDataImpl<T>& data) const {
    return detail::byRows(sparsityDataImplToCOOMatrix(data));
  }
  CSCMatrix<T> sparsityDataImplToCSCMatrix(const SparsityDataImpl<T>& data) const {
    return detail::byColumns(sparsityDataImplToCOOMatrix(data));
  }
  /// Where the matrix is cut, by rows, columns and the columns of the other one: nowhere.
  std::array<std::vector<std::size_t>, 3> getPlanPartitions() const {
    return {std::vector<std::size_t>{0}, std::vector<std::size_t>{0}, std::vector<std::size_t>{0}};
  }
  std::size_t getmetaInfoBucketElements() const {
    return 2 * params_.getNumNonZeroValues() / params_.getSparsityParams().blockSize();
  }

 private:
  SparsityDataImpl<T> data(const COOMatrix<T>& matrix) const;

  MatMulParams params_;
};
extern template class Partitioner<float>;
extern template class Partitioner<double>;

}  // namespace dynamic

namespace static_ {

template <typename T>
struct SparsityDataImpl {
  std::vector<T> nzValues;
  explicit SparsityDataImpl(std::vector<T> values) : nzValues(std::move(values)) {}
};

/// Brings the values of a matrix into the order of the tensor of values.
template <typename T>
class Partitioner {
 public:
  Partitioner(const MatMulParams& params, const poplar::Type&, const poplar::Target&,
              const poplar::OptionFlags&, PlanningCache* = nullptr, std::string = "")
      : rows_(params.isTransposed() ? params.getK() : params.getM()),
        columns_(params.isTransposed() ? params.getM() : params.getK()) {}

  SparsityDataImpl<T> createSparsityDataImpl(const CSCMatrix<T>& matrix) const {
    return SparsityDataImpl<T>(detail::ordered(matrix, rows_, columns_).nzValues);
  }
  SparsityDataImpl<T> createSparsityDataImpl(const CSRMatrix<T>& matrix) const {
    return SparsityDataImpl<T>(detail::ordered(matrix, rows_, columns_).nzValues);
  }
  SparsityDataImpl<T> createSparsityDataImpl(const COOMatrix<T>& matrix) const {
    return SparsityDataImpl<T>(detail::ordered(matrix, rows_, columns_).nzValues);
  }

 private:
  std::size_t rows_, columns_;
};

}  // namespace static_
}  // namespace popsparse
#pragma GCC visibility pop

#endif
