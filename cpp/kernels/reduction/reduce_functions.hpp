// The inner loops of reductions, by element type, operation and instruction set. Each has a fixed
// order of operations, the same for all instruction sets: 128 bytes of partial results ("lanes")
// are accumulated in parallel and joined pairwise at the end.
#ifndef popir_kernels_reduction_reduce_functions_hpp
#define popir_kernels_reduction_reduce_functions_hpp

#include <cstddef>
#include <cstdint>
#include <poplar/Type.hpp>
#include <popops/OperationDef.hpp>

#include "kernels/rounding.hpp"

namespace popir {

/// The most columns, channels of a block, and positions of a row of a block in one call.
constexpr std::int64_t kReduceColumns = 512, kReduceBlock = 16, kReduceRow = 64 * 1024;
/// Of types of 4 bytes: the lanes of a channel, the positions that are added to them in order, and
/// those that need no lanes.
constexpr std::int64_t kReduceLanes = 32, kReduceLeaf = 32 * kReduceLanes, kReduceFew = 16;

inline std::int64_t divideUp(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Partial results have type `accumulator`: float for HALF and BFLOAT16, the unsigned type for sums
/// and products of integers (which wrap), otherwise the type of the elements.
struct ReduceFunctions {
  poplar::Type accumulator;
  /// out[i] = reduction of x[i * stride + j] over j < n, for i < count.
  void (*rows)(const void* x, std::int64_t count, std::int64_t stride, std::int64_t n, void* out);
  /// out[j] = reduction of x[i * channels + j] over i < n, for j < channels, in the order of rows().
  /// channels <= kReduceBlock, n <= kReduceRow. Null for LOG_ADD.
  void (*block)(const void* x, std::int64_t channels, std::int64_t n, void* out);
  /// out[j] = reduction of x[i * stride + j] over i < rows, for j < columns. rows > 0, columns <=
  /// kReduceColumns.
  void (*columns)(const void* x, std::int64_t rows, std::int64_t stride, std::int64_t columns,
                  void* out);
  /// The same for dense partial results, in place: out[j] = reduction of out[i * columns + j].
  void (*fold)(void* out, std::int64_t rows, std::int64_t columns);
  /// out[i] = the neutral element.
  void (*neutral)(void* out, std::int64_t n);

  /// The parts of block() for more than kReduceFew positions, which need not be there at once: the
  /// lanes of some, kReduceLeaf but for the last; lanes joined to others, of the positions before
  /// them, as BalancedTree says; their result. The type has 4 bytes.
  void (*blockLeaf)(const void* x, std::int64_t channels, std::int64_t n, void* lanes);
  void (*join)(void* to, const void* from, std::int64_t n);
  void (*blockEnd)(void* lanes, std::int64_t channels, void* out);

  explicit operator bool() const { return rows != nullptr; }
};

/// The functions are null if the operation does not support the type.
ReduceFunctions reduceFunctions(poplar::Type type, popops::Operation op);

/// least[i] and most[i]: what the functions of MIN and MAX make of x[i * stride + j] over j < n, for
/// i < count, of floats that are read once.
using ReduceExtrema = void (*)(const float* x, std::int64_t count, std::int64_t stride,
                               std::int64_t n, float* least, float* most);
ReduceExtrema reduceExtrema();

/// Writes n results: out[i * stride] = f(acc[i]), where f scales, adds to the old value (as
/// popops::ReduceParams says) and rounds. `first` is the index of the first result, which
/// stochastic rounding uses.
struct ReduceStore {
  void (*store)(const void* acc, std::int64_t n, void* out, std::int64_t stride, const float* scale,
                bool update, const Rounding& rounding, std::int64_t first);
};

/// Null if results of this accumulator type cannot be stored as `out`.
ReduceStore reduceStore(poplar::Type accumulator, poplar::Type out, popops::Operation op);

namespace base {
ReduceFunctions reduceFunctions(poplar::Type type, popops::Operation op);
ReduceExtrema reduceExtrema();
ReduceFunctions logAddFunctions(poplar::Type type);
}  // namespace base
namespace avx2 {
ReduceFunctions reduceFunctions(poplar::Type type, popops::Operation op);
ReduceExtrema reduceExtrema();
}  // namespace avx2
namespace avx512 {
ReduceFunctions reduceFunctions(poplar::Type type, popops::Operation op);
ReduceExtrema reduceExtrema();
}  // namespace avx512

}  // namespace popir

#endif
