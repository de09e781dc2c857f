// Our own matrix product kernels of floats and doubles, one set per instruction set. They are used
// for small and skinny products of floats, where contraction.cpp does not find other sources faster,
// and for all of doubles.
#ifndef popir_kernels_contraction_gemm_own_hpp
#define popir_kernels_contraction_gemm_own_hpp

#include <cstddef>
#include <cstdint>

#include "kernels/contraction/gemm.hpp"

namespace popir {
namespace gemm {

/// Rows of AVX-512 that meet several packed panels of B at a time.
constexpr int kFewPackedRowsOfAvx512 = 6;

/// The routines of one instruction set.
template <class T>
struct Routines {
  /// A and B must have stride 1 in at least one dimension. `scratch` has scratchScalars() elements
  /// and is 64-byte aligned. The summation order depends on k, and for few rows also on the strides.
  /// It does not depend on the position of a block in a larger matrix.
  void (*run)(const BlockOf<T>& block, T* scratch);
  std::size_t (*scratchScalars)(std::int64_t m, std::int64_t n, std::int64_t k);
  /// Packs columns [first, last) of a B [k, n] into `to`, of packedScalars() elements: the form in
  /// which run() takes BlockOf::packed, in parts of at most `steps` rows.
  void (*pack)(const T* b, std::int64_t bRow, std::int64_t bColumn, std::int64_t k, std::int64_t n,
               std::int64_t steps, std::int64_t first, std::int64_t last, T* to);
  std::size_t (*packedScalars)(std::int64_t k, std::int64_t n);
  /// The rows of a part with which a packed B is fastest, and those with which the sums are added up
  /// in the order of a B that is not packed.
  std::int64_t keptSteps, steps;
  /// Split n at multiples of this.
  std::int64_t columns;
  /// Up to so many rows meet a transposed B by dot products, if it has `dotSteps` steps for each of them.
  std::int64_t dotRows, dotSteps;

  /// For many rows, with another order of summation, which depends on k alone; null where the
  /// instruction set has too few registers. `scratch` has wideScalars() elements.
  void (*runWide)(const BlockOf<T>& block, T* scratch);
  std::size_t (*wideScalars)(std::int64_t k, std::int64_t n);
  /// Split n at multiples of this.
  std::int64_t wideColumns;
};

namespace avx2 {
extern const Routines<float> kFloats;
extern const Routines<double> kDoubles;
}  // namespace avx2
namespace avx512 {
extern const Routines<float> kFloats;
extern const Routines<double> kDoubles;
}  // namespace avx512

/// The routines for isa(), or null for Isa::Base. T is float or double.
template <class T>
const Routines<T>* routines();
template <>
const Routines<float>* routines();
template <>
const Routines<double>* routines();

}  // namespace gemm
}  // namespace popir

#endif
