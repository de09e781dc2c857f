// A matrix product on one thread, and the partition of larger products into such tasks.
#ifndef popir_kernels_contraction_gemm_hpp
#define popir_kernels_contraction_gemm_hpp

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/contraction/contraction.hpp"

namespace popir {
namespace gemm {

/// C [m, n] = alpha * A [m, k] * B [k, n] + bias [n] + C. The bias is added if not null, C if
/// `accumulate`. Strides are in elements. The columns of C have stride 1.
template <class T>
struct BlockOf {
  std::int64_t m, n, k;
  const T* a;
  std::int64_t aRow, aColumn;
  const T* b;
  std::int64_t bRow, bColumn;
  T* c;
  std::int64_t cRow;
  T alpha;
  bool accumulate;
  const T* bias;
  /// Whether C, which is not read, is written past the caches where the instruction set can.
  bool streams = false;
  /// The whole of B as it was packed before the run, of `packedColumns` columns with those that fill
  /// vectors, in parts of at most `packedSteps` rows, and the block's first column in it. Null if B is
  /// not packed.
  const T* packed = nullptr;
  std::int64_t packedColumns = 0, packedSteps = 0, column = 0;
};

/// Partition of a product into `groups * rowParts * columnParts` tasks for threads. The sums over k
/// are never split, so results do not depend on the number of threads.
struct Tasks {
  std::int64_t groups, rowParts, columnParts, m, n, columnUnit;
  unsigned threads;

  /// Splits the columns at multiples of `columnUnit` only.
  Tasks(const contraction::MatMulSpec& spec, std::int64_t columnUnit, unsigned threads);
  /// Splits rows and columns so that a task reads as little of A and B as it can.
  static Tasks square(const contraction::MatMulSpec& spec, std::int64_t columnUnit,
                      unsigned threads);
  /// For a B that was packed before the run: splits many rows, and few where columns would be
  /// shared unevenly.
  static Tasks ofKept(const contraction::MatMulSpec& spec, std::int64_t columnUnit,
                      unsigned threads);
  std::int64_t count() const { return groups * ofGroup(); }
  std::int64_t ofGroup() const { return rowParts * columnParts; }
  /// The group of a task. A thread has the same rows and columns of all groups, as far as it can: of
  /// convolutions of points, what other steps divide by points.
  std::int64_t groupOf(std::int64_t task) const { return task % groups; }
  /// Largest number of rows and columns in one task.
  std::int64_t mostRows() const { return (m + rowParts - 1) / rowParts; }
  std::int64_t mostColumns() const;
};

/// Converts alpha to the element type. For integers: its integral part, negative values modulo 2^n.
template <class T>
T scaleOf(float alpha) {
  if (std::is_integral<T>::value) return static_cast<T>(static_cast<std::int64_t>(alpha));
  return static_cast<T>(alpha);
}

/// Task `i` of a product with operands at a, b, c and bias (or null). The task may be empty.
template <class T>
BlockOf<T> task(const Tasks& tasks, std::int64_t i, const contraction::MatMulSpec& s, const T* a,
                const T* b, T* c, const T* bias) {
  std::int64_t group = i, r = 0, rEnd = s.m, j = 0, jEnd = s.n;
  if (tasks.ofGroup() > 1) {  // else nothing is divided, which would take a small product's time
    group = tasks.groupOf(i);
    const std::int64_t part = i / tasks.groups;
    const std::int64_t row = part / tasks.columnParts, column = part % tasks.columnParts;
    const std::int64_t units = (s.n + tasks.columnUnit - 1) / tasks.columnUnit;
    j = units * column / tasks.columnParts * tasks.columnUnit;
    jEnd = std::min(s.n, units * (column + 1) / tasks.columnParts * tasks.columnUnit);
    r = s.m * row / tasks.rowParts;
    rEnd = s.m * (row + 1) / tasks.rowParts;
  }
  BlockOf<T> block;
  block.m = rEnd - r;
  block.n = jEnd - j;
  block.k = s.k;
  block.a = a + group * s.a.group + r * s.a.row;
  block.aRow = s.a.row;
  block.aColumn = s.a.column;
  block.b = b + group * s.b.group + j * s.b.column;
  block.bRow = s.b.row;
  block.bColumn = s.b.column;
  block.c = c + group * s.c.group + r * s.c.row + j;
  block.cRow = s.c.row;
  block.alpha = scaleOf<T>(s.alpha);
  block.accumulate = s.accumulate;
  block.bias = bias == nullptr ? nullptr : bias + j;
  block.column = j;
  return block;
}

/// Plain C++ for arithmetic types and any strides.
template <class T>
void portable(const BlockOf<T>& block);

extern template void portable(const BlockOf<float>&);
extern template void portable(const BlockOf<double>&);
extern template void portable(const BlockOf<std::uint32_t>&);
extern template void portable(const BlockOf<std::uint64_t>&);

}  // namespace gemm
}  // namespace popir

#endif
