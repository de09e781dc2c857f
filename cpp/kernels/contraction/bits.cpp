#include "kernels/contraction/bits.hpp"

#define POPIR_ISA_NAMESPACE base
#include "kernels/contraction/bits.inc"
#include "kernels/vector/isa.hpp"

namespace popir {

const BitsKernel& bitsKernel() {
  switch (isa()) {
    case Isa::Avx512: return avx512::kBits;
    case Isa::Avx2: return avx2::kBits;
    default: return base::kBits;
  }
}

const BitsOfBytesKernel* bitsOfBytesKernel() {
  return haveVnni() ? &avx512vnni::kBitsOfBytes : nullptr;
}

}  // namespace popir
