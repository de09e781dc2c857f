// The inner loops of reductions, one set for each element type, operation and instruction set.
// Each has a fixed order of operations, the same for all instruction sets: 128 bytes of partial
// results side by side ("lanes"), joined pairwise.
#ifndef popir_kernels_reduce_functions_hpp
#define popir_kernels_reduce_functions_hpp

#include <cstddef>
#include <cstdint>
#include <poplar/Type.hpp>
#include <popops/OperationDef.hpp>

#include "kernels/rounding.hpp"

namespace popir {

/// Partial results are of `accumulator` type: float for HALF and BFLOAT16, the unsigned type for
/// sums and products of integers (which are modulo), else the type of the elements.
struct ReduceFunctions {
  poplar::Type accumulator;
  /// out[i] = all of x[i * stride + j], j < n, for i < count.
  void (*rows)(const void* x, std::int64_t count, std::int64_t stride, std::int64_t n, void* out);
  /// out[j] = all of x[i * stride + j], i < rows, for j < columns; rows > 0, and columns no more
  /// than kReduceColumns.
  void (*columns)(const void* x, std::int64_t rows, std::int64_t stride, std::int64_t columns,
                  void* out);
  /// The same of dense partial results, in place: out[j] = all of out[i * columns + j].
  void (*fold)(void* out, std::int64_t rows, std::int64_t columns);
  /// out[i] = the neutral element.
  void (*neutral)(void* out, std::int64_t n);

  explicit operator bool() const { return rows != nullptr; }
};

constexpr std::int64_t kReduceColumns = 512;

/// Null functions if the operation does not take the type.
ReduceFunctions reduceFunctions(poplar::Type type, popops::Operation op);

/// Writes partial results where they end: out[i * stride] = f(acc[i]) for i < n, scaled and joined
/// with what is there as popops::ReduceParams says, and rounded; `first` is the number of the
/// first.
struct ReduceStore {
  void (*store)(const void* acc, std::int64_t n, void* out, std::int64_t stride, const float* scale,
                bool update, const Rounding& rounding, std::int64_t first);
};

/// Null if no result of this accumulator can be stored as `out`.
ReduceStore reduceStore(poplar::Type accumulator, poplar::Type out, popops::Operation op);

namespace base {
ReduceFunctions reduceFunctions(poplar::Type type, popops::Operation op);
ReduceFunctions logAddFunctions(poplar::Type type);
}  // namespace base
namespace avx2 {
ReduceFunctions reduceFunctions(poplar::Type type, popops::Operation op);
}
namespace avx512 {
ReduceFunctions reduceFunctions(poplar::Type type, popops::Operation op);
}

}  // namespace popir

#endif
