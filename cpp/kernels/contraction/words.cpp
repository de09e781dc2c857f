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

namespace {

/// Calls `run(first word, number of words, whether to add, whether these are the last)` for blocks whose
/// lengths differ by at most one.
template <class Run>
void byBlocks(std::int64_t words, bool add, const Run& run) {
  const std::int64_t blocks =
      std::max<std::int64_t>(1, (words + kWordsOfBlock - 1) / kWordsOfBlock);
  for (std::int64_t i = 0, w = 0; i < blocks; ++i) {
    const std::int64_t some = (words - w + blocks - i - 1) / (blocks - i);
    run(w, some, add || w > 0, i + 1 == blocks);
    w += some;
  }
}

/// Whether the loops make the bytes while sums are in registers.
bool haveBytes(const WordsKernel& kernel, const BytesOf* made) {
  return made != nullptr && kernel.runToBytes != nullptr && made->terms->isSmall &&
         !made->terms->hasOffset;
}
void finish(const WordsKernel& kernel, const std::int32_t* c, std::int64_t rows,
            const BytesOf* made) {
  if (made != nullptr && !haveBytes(kernel, made))
    kernel.requantize(c, rows, made->columns, *made->terms, made->to, made->row);
}

}  // namespace

void runWords(const WordsKernel& kernel, const std::byte* a, std::int64_t aRow,
              const std::byte* panel, std::int64_t words, std::int32_t* c, std::int64_t cRow,
              std::int64_t rows, bool add, const BytesOf* made) {
  const bool toBytes = haveBytes(kernel, made);
  byBlocks(words, add, [&](std::int64_t w, std::int64_t some, bool adds, bool isLast) {
    const auto *const from = a + w * kWordBytes, *const b = panel + w * kWordBytes * kernel.columns;
    if (isLast && toBytes)
      kernel.runToBytes(from, aRow, b, some, c, rows, adds, *made);
    else
      kernel.run(from, aRow, b, some, c, cRow, rows, adds);
  });
  finish(kernel, c, rows, made);
}

void runWordsAt(const WordsKernel& kernel, const std::byte* a, const std::int64_t* rowsOfA,
                const std::int64_t* taps, const std::byte* panel, std::int64_t words,
                std::int32_t* c, std::int64_t cRow, std::int64_t rows, std::int64_t columns,
                bool add, const BytesOf* made) {
  const bool toBytes = haveBytes(kernel, made);
  byBlocks(words, add, [&](std::int64_t w, std::int64_t some, bool adds, bool isLast) {
    const auto* const b = panel + w * kWordBytes * kernel.columns;
    if (isLast && toBytes)
      kernel.runAtToBytes(a, rowsOfA, taps + w, b, some, c, rows, adds, *made);
    else
      kernel.runAt(a, rowsOfA, taps + w, b, some, c, cRow, rows, columns, adds);
  });
  finish(kernel, c, rows, made);
}

}  // namespace popir
