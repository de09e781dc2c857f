#define POPIR_ISA_NAMESPACE base
#include "kernels/reduction/top_k_blocks.inc"
#include "kernels/vector/isa.hpp"

namespace popir {

template <class T>
BetterOnes betterOnes(bool largest) {
  switch (isa()) {
    case Isa::Avx512: return avx512::betterOnes<T>(largest);
    case Isa::Avx2: return avx2::betterOnes<T>(largest);
    case Isa::Base: break;
  }
  return base::betterOnes<T>(largest);
}
#define POPIR_BETTER_ONES(T) template BetterOnes betterOnes<T>(bool);
POPIR_BETTER_TYPES(POPIR_BETTER_ONES)
#undef POPIR_BETTER_ONES

}  // namespace popir
