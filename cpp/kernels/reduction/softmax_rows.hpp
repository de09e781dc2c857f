// Loops of softmax that do in one pass over a row what the general ones do in several, with the same
// bits.
#ifndef popir_kernels_reduction_softmax_rows_hpp
#define popir_kernels_reduction_softmax_rows_hpp

#include <cstdint>

namespace popir {

/// Rows of more elements than these: shorter ones are joined in another order.
constexpr std::int64_t kLeastSoftmaxRow = 17;

/// Rows lie one after the other, each `length` long.
struct SoftmaxRows {
  /// The greatest of each row, as reduceFunctions() of MAX finds it. isNear: whether no element is NaN, and
  /// each so near to the greatest that the exponential of their difference is a normal number.
  void (*greatest)(const float* x, std::int64_t rows, std::int64_t length, float* greatest,
                   bool* isNear);
  /// The exponentials of differences as VecOp::SubExpDown makes them, written to `e` unless it is null, and
  /// the sum of each row, in the order of reduceFunctions() of ADD.
  void (*exponentials)(const float* x, std::int64_t rows, std::int64_t length,
                       const float* greatest, const bool* isNear, float* e, float* sums);
  /// y = (x - a) - b, where each row has its own a and b. y may be x.
  void (*differences)(const float* x, std::int64_t rows, std::int64_t length, const float* a,
                      const float* b, float* y);
};

/// Those of this machine's instruction set; null if it has none.
const SoftmaxRows* softmaxRows();

namespace avx512 {
extern const SoftmaxRows kSoftmaxRows;
}

}  // namespace popir

#endif
