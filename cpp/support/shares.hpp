// Elements in a row, shared out in whole grains.
#ifndef popir_support_shares_hpp
#define popir_support_shares_hpp

#include <algorithm>
#include <cstdint>
#include <limits>

namespace popir {

/// `count` shares of a row of elements, as even as grains allow: share i begins at grain
/// i * grains / count, rounded down. Of 5 grains in 3 shares the shares have 1, 2 and 2. The last
/// grain may have fewer elements.
struct Shares {
  std::int64_t elements = 0, grain = 1, count = 0;

  std::int64_t grains() const { return (elements + grain - 1) / grain; }
  /// The first element of a share; the number of all elements for share `count`.
  std::int64_t begin(std::int64_t share) const {
    const auto each = grains() / count, more = grains() % count;
    return std::min((share * each + share * more / count) * grain, elements);
  }
  /// The share of an element.
  std::int64_t of(std::int64_t element) const {
    return ((element / grain + 1) * count - 1) / grains();
  }
  friend bool operator==(const Shares& a, const Shares& b) {
    return a.elements == b.elements && a.grain == b.grain && a.count == b.count;
  }
};

/// PopLibs' rule for how many shares there are: at most `most`, each of `least` elements or more.
/// No share has more than `largest` elements, even if these are then more than `most` shares, unless
/// the shares would have fewer than `least`, or a grain is larger. Of numbers of shares whose largest
/// share is the same it is the smallest. \pre grain > 0, most > 0
inline Shares sharesOf(std::int64_t elements, std::int64_t grain, std::int64_t most,
                       std::int64_t least = 0,
                       std::int64_t largest = std::numeric_limits<std::int64_t>::max()) {
  Shares shares{elements, grain, 0};
  const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const auto grains = shares.grains();
  if (grains == 0) return shares;
  auto each = std::min(up(grains, most), std::max<std::int64_t>(largest / grain, 1));
  if (least > 0)
    each = std::max(each, up(grains, std::max<std::int64_t>(grains / up(least, grain), 1)));
  shares.count = up(grains, each);
  return shares;
}

}  // namespace popir

#endif
