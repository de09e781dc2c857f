#define POPIR_ISA_NAMESPACE base
#include "kernels/reduction/scan_lines.inc"
#include "kernels/vector/isa.hpp"

namespace popir {

ScanLines scanPairs() {
  switch (isa()) {
    case Isa::Avx512: return avx512::scanPairs();
    case Isa::Avx2: return avx2::scanPairs();
    case Isa::Base: break;
  }
  return base::scanPairs();
}

template <class T>
ScanLines scanLines(ScanKind kind) {
  switch (isa()) {
    case Isa::Avx512: return avx512::scanLines<T>(kind);
    case Isa::Avx2: return avx2::scanLines<T>(kind);
    case Isa::Base: break;
  }
  return base::scanLines<T>(kind);
}
template ScanLines scanLines<float>(ScanKind);
template ScanLines scanLines<double>(ScanKind);
template ScanLines scanLines<std::uint32_t>(ScanKind);
template ScanLines scanLines<std::uint64_t>(ScanKind);

}  // namespace popir
