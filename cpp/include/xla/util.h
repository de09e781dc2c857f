// Paddings for xla::Pad().
#ifndef XLA_UTIL_H_
#define XLA_UTIL_H_

#include "xla/shape.h"

namespace xla {

/// A padding that changes nothing, for that many dimensions.
inline PaddingConfig MakeNoPaddingConfig(int64 rank) {
  PaddingConfig config;
  for (int64 d = 0; d < rank; ++d) config.add_dimensions();
  return config;
}

/// The elements before and behind those of each dimension.
inline PaddingConfig MakeEdgePaddingConfig(Span<std::pair<int64, int64>> padding) {
  PaddingConfig config;
  for (const auto& [low, high] : padding) {
    auto* dimension = config.add_dimensions();
    dimension->set_edge_padding_low(low);
    dimension->set_edge_padding_high(high);
  }
  return config;
}

}  // namespace xla

#endif  // XLA_UTIL_H_
