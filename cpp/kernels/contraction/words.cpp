#include "kernels/contraction/words.hpp"

#include <algorithm>

#define POPIR_ISA_NAMESPACE base
#include "kernels/contraction/words.inc"
#include "kernels/vector/isa.hpp"

namespace popir {
const WordsKernel& shortsKernel() {
  if (haveVnni()) return avx512vnni::kShorts;
  switch (isa()) {
    case Isa::Avx512: return avx512::kShorts;
    case Isa::Avx2: return avx2::kShorts;
    default: return base::kShorts;
  }
}

const WordsKernel* bytesKernel() { return haveVnni() ? &avx512vnni::kBytes : nullptr; }

void runWords(const WordsKernel& kernel, const std::byte* a, std::int64_t aRow,
              const std::byte* panel, std::int64_t words, std::int32_t* c, std::int64_t cRow,
              std::int64_t rows, bool add) {
  for (std::int64_t w = 0; w == 0 || w < words; w += kWordsOfBlock)
    kernel.run(a + w * kWordBytes, aRow, panel + w * kWordBytes * kernel.columns,
               std::min(kWordsOfBlock, words - w), c, cRow, rows, add || w > 0);
}

void runWordsAt(const WordsKernel& kernel, const std::byte* a, const std::int64_t* rowsOfA,
                const std::int64_t* taps, const std::byte* panel, std::int64_t words,
                std::int32_t* c, std::int64_t cRow, std::int64_t rows, std::int64_t columns,
                bool add) {
  for (std::int64_t w = 0; w == 0 || w < words; w += kWordsOfBlock)
    kernel.runAt(a, rowsOfA, taps + w, panel + w * kWordBytes * kernel.columns,
                 std::min(kWordsOfBlock, words - w), c, cRow, rows, columns, add || w > 0);
}

}  // namespace popir
