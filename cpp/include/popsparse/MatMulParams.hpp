// Sizes of sparse products. After popsparse/MatMulParams.hpp of PopLibs 3.
#ifndef popsparse_MatMulParams_hpp
#define popsparse_MatMulParams_hpp

#include <popsparse/SparsityParams.hpp>

#include <cstddef>
#include <ostream>
#include <tuple>

#pragma GCC visibility push(default)
namespace popsparse {
namespace dynamic {

/// [m, k] x [k, n], where the left matrix is sparse.
class MatMulParams {
 public:
  /// `nzRatio` is the largest share of elements that are not zero.
  /// \throws poputil::poplibs_error for several groups, sizes that are no multiples of the blocks,
  /// and a share beyond 0 to 1
  static MatMulParams createWithNzRatio(const SparsityParams& sparsityParams, double nzRatio,
                                        std::size_t groups, std::size_t m, std::size_t k,
                                        std::size_t n);
  /// The same with the largest number of elements that are not zero.
  static MatMulParams createWithNumNonZeroValues(const SparsityParams& sparsityParams,
                                                 std::size_t numNonZeroElems, std::size_t groups,
                                                 std::size_t m, std::size_t k, std::size_t n);

  const SparsityParams& getSparsityParams() const { return sparsity_; }
  std::size_t getNumGroups() const { return groups_; }
  std::size_t getM() const { return m_; }
  std::size_t getK() const { return k_; }
  std::size_t getN() const { return n_; }
  double getNzRatio() const { return nzRatio_; }
  /// Of one group, a multiple of the size of a block.
  std::size_t getNumNonZeroValues() const;

  friend bool operator<(const MatMulParams& a, const MatMulParams& b) {
    return a.tied() < b.tied();
  }
  friend bool operator==(const MatMulParams& a, const MatMulParams& b) {
    return a.tied() == b.tied();
  }
  friend bool operator!=(const MatMulParams& a, const MatMulParams& b) { return !(a == b); }

 private:
  MatMulParams(const SparsityParams& sparsity, double nzRatio, std::size_t groups, std::size_t m,
               std::size_t k, std::size_t n)
      : sparsity_(sparsity), nzRatio_(nzRatio), groups_(groups), m_(m), k_(k), n_(n) {}
  std::tuple<const SparsityParams&, double, std::size_t, std::size_t, std::size_t, std::size_t>
  tied() const {
    return std::tuple<const SparsityParams&, double, std::size_t, std::size_t, std::size_t,
                      std::size_t>(sparsity_, nzRatio_, groups_, m_, k_, n_);
  }

  SparsityParams sparsity_;
  double nzRatio_;
  std::size_t groups_, m_, k_, n_;
};
std::ostream& operator<<(std::ostream& os, const MatMulParams& p);

}  // namespace dynamic

namespace static_ {

/// A product with one sparse matrix whose structure is known when the graph is made.
class MatMulParams {
 public:
  MatMulParams() = default;
  /// Sparse [m, k] x dense [k, n].
  static MatMulParams createForSparseDense(std::size_t groups, std::size_t m, std::size_t k,
                                           std::size_t n) {
    return {groups, m, k, n, false};
  }
  /// Dense [n, k] x sparse [k, m].
  static MatMulParams createForDenseSparse(std::size_t groups, std::size_t n, std::size_t k,
                                           std::size_t m) {
    return {groups, m, k, n, true};
  }

  std::size_t getNumGroups() const { return groups_; }
  std::size_t getM() const { return m_; }
  std::size_t getK() const { return k_; }
  std::size_t getN() const { return n_; }
  /// Whether the sparse matrix is the right one.
  bool isTransposed() const { return transposed_; }

  friend bool operator<(const MatMulParams& a, const MatMulParams& b) {
    return a.tied() < b.tied();
  }
  friend bool operator==(const MatMulParams& a, const MatMulParams& b) {
    return a.tied() == b.tied();
  }
  friend bool operator!=(const MatMulParams& a, const MatMulParams& b) { return !(a == b); }

 private:
  MatMulParams(std::size_t groups, std::size_t m, std::size_t k, std::size_t n, bool transposed)
      : groups_(groups), m_(m), k_(k), n_(n), transposed_(transposed) {}
  std::tuple<std::size_t, std::size_t, std::size_t, std::size_t, bool> tied() const {
    return std::make_tuple(groups_, m_, k_, n_, transposed_);
  }

  std::size_t groups_ = 0, m_ = 0, k_ = 0, n_ = 0;
  bool transposed_ = false;
};
std::ostream& operator<<(std::ostream& os, const MatMulParams& p);

}  // namespace static_
}  // namespace popsparse
#pragma GCC visibility pop

#endif
