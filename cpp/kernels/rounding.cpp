#include "kernels/rounding.hpp"

#include <algorithm>

#include "kernels/vector/philox.hpp"

namespace popir {
namespace {

/// Set in the last word of the counter, which is 0 or 1 in poprand's streams. So rounding never
/// uses the random words of poprand.
constexpr std::uint32_t kApart = 0x80000000u;

PhiloxStream streamOf(const RoundingState& state) {
  const auto number = state.number;
  return {{state.seed[0], state.seed[1]},
          {static_cast<std::uint32_t>(number),
           ((static_cast<std::uint32_t>(number >> 32) ^ state.modifier) & ~kApart) | kApart}};
}

}  // namespace

void Rounding::store(Lane from, Lane to, const void* in, void* out, std::int64_t n,
                     std::int64_t first, std::uint16_t value) const {
  if (state_ == nullptr) {
    vectorConvert(from, to)(out, &in, static_cast<std::size_t>(n));
    return;
  }
  constexpr std::int64_t kChunk = 512, kBlock = 4;
  alignas(64) std::uint32_t words[kChunk + kBlock];
  const VecFn draw = vectorDraw(from, to);
  const PhiloxStream stream = streamOf(*state_);
  const auto* x = static_cast<const char*>(in);
  auto* y = static_cast<char*>(out);
  for (std::int64_t i = 0; i < n; i += kChunk) {
    const std::int64_t m = std::min(kChunk, n - i), skipped = (first + i) % kBlock;
    const auto block = static_cast<std::uint64_t>((first + i) / kBlock) | std::uint64_t{value}
                                                                              << 48;
    philoxWords(stream, block, (skipped + m + kBlock - 1) / kBlock, words);
    const void* sources[] = {x + i * static_cast<std::int64_t>(laneBytes(from)), words + skipped};
    draw(y + i * static_cast<std::int64_t>(laneBytes(to)), sources, static_cast<std::size_t>(m));
  }
}

}  // namespace popir
