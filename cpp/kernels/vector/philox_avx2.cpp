// Philox in AVX2; see philox.inc.
#include "kernels/vector/philox.hpp"

namespace popir {
namespace {
#include "kernels/vector/philox.inc"
}  // namespace

void philoxWordsAvx2(const PhiloxStream& stream, std::uint64_t first, std::int64_t blocks,
                     std::uint32_t* words) {
  philoxLoop(stream, first, blocks, words);
}

}  // namespace popir
