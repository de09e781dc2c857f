#define POPIR_ISA_NAMESPACE base
#include "kernels/reduction/arg_lines.inc"
#include "kernels/vector/isa.hpp"

namespace popir {

template <class T>
ArgLines argLines(bool max, bool last) {
  switch (isa()) {
    case Isa::Avx512: return avx512::argLines<T>(max, last);
    case Isa::Avx2: return avx2::argLines<T>(max, last);
    case Isa::Base: break;
  }
  return base::argLines<T>(max, last);
}
#define POPIR_ARG_LINES(T) template ArgLines argLines<T>(bool, bool);
POPIR_ARG_TYPES(POPIR_ARG_LINES)
#undef POPIR_ARG_LINES

}  // namespace popir
