// The loop that looks for elements of a row that a choice of the best may take.
#ifndef popir_kernels_reduction_top_k_blocks_hpp
#define popir_kernels_reduction_top_k_blocks_hpp

#include <cstdint>

namespace popir {

/// The elements that are compared with a bound together.
constexpr std::int64_t kCompared = 32;

/// Bit i: whether element i of kCompared is better than the bound, or one of them NaN.
using BetterOnes = std::uint32_t (*)(const void* x, const void* bound);

/// For elements T, a float, double or integer of 32 or 64 bits, with the best instruction set of this
/// machine: greater ones are better, or lesser ones.
template <class T>
BetterOnes betterOnes(bool largest);

#define POPIR_BETTER_ONES(NAMESPACE)   \
  namespace NAMESPACE {                \
  template <class T>                   \
  BetterOnes betterOnes(bool largest); \
  }
POPIR_BETTER_ONES(base)
POPIR_BETTER_ONES(avx2)
POPIR_BETTER_ONES(avx512)
#undef POPIR_BETTER_ONES

/// X(element type) for each of them.
#define POPIR_BETTER_TYPES(X) \
  X(float)                    \
  X(double)                   \
  X(std::int32_t)             \
  X(std::uint32_t)            \
  X(std::int64_t)             \
  X(std::uint64_t)

}  // namespace popir

#endif
