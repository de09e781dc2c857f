// Products of float32 matrices by kernels of our own, for one instruction set each. They serve what
// is small or skinny; the chooser in contraction.cpp knows from where on others are faster.
#ifndef popir_kernels_gemm_own_hpp
#define popir_kernels_gemm_own_hpp

#include <cstddef>
#include <cstdint>

#include "kernels/gemm.hpp"

namespace popir {
namespace gemm {

using Block = BlockOf<float>;

/// The entry points of one instruction set.
struct Routines {
  /// A and B have stride 1 in one dimension at least. `scratch` has scratchFloats() floats, 64-byte
  /// aligned. The order in which a sum is formed depends on k, and for few rows on the strides,
  /// never on where a block begins in a larger matrix.
  void (*run)(const Block& block, float* scratch);
  std::size_t (*scratchFloats)(std::int64_t m, std::int64_t n, std::int64_t k);
  /// n is best split at multiples of this.
  std::int64_t columns;
};

namespace avx2 {
extern const Routines kRoutines;
}
namespace avx512 {
extern const Routines kRoutines;
}

/// Those for isa(), or null if it is Isa::Base.
const Routines* routines();

}  // namespace gemm
}  // namespace popir

#endif
