#define POPIR_ISA_NAMESPACE base
#include "kernels/movement/tiles.inc"
#include "kernels/vector/isa.hpp"

namespace popir {

TransposeMatrix transposeMatrix(std::size_t elementBytes) {
  switch (isa()) {
    case Isa::Avx512: return avx512::transposeMatrix(elementBytes);
    case Isa::Avx2: return avx2::transposeMatrix(elementBytes);
    case Isa::Base: break;
  }
  return base::transposeMatrix(elementBytes);
}

}  // namespace popir
