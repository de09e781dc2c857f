#include "kernels/vector/philox.hpp"

#include "kernels/vector/isa.hpp"

namespace popir {
namespace {
#include "kernels/vector/philox.inc"
}  // namespace

// Defined in philox_avx2.cpp and philox_avx512.cpp.
void philoxWordsAvx2(const PhiloxStream&, std::uint64_t, std::int64_t, std::uint32_t*);
void philoxWordsAvx512(const PhiloxStream&, std::uint64_t, std::int64_t, std::uint32_t*);

void philoxWords(const PhiloxStream& stream, std::uint64_t first, std::int64_t blocks,
                 std::uint32_t* words) {
  switch (isa()) {
    case Isa::Avx512: return philoxWordsAvx512(stream, first, blocks, words);
    case Isa::Avx2: return philoxWordsAvx2(stream, first, blocks, words);
    case Isa::Base: return philoxLoop(stream, first, blocks, words);
  }
}

}  // namespace popir
