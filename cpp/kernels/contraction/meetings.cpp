#include "kernels/contraction/meetings.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace popir {
namespace {

__extension__ using Wide = __int128;

Wide floorDiv(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }
Wide floorMod(Wide a, Wide b) { return a - floorDiv(a, b) * b; }

/// The sum of floorDiv(slope * i + offset, m) for i from 0 to n - 1. This counts lattice points
/// below a line. As in Euclid's algorithm, each step exchanges rows and columns and reduces the
/// slope, so it takes O(log m) steps.
Wide floorSum(Wide n, Wide m, Wide slope, Wide offset) {
  Wide sum = 0;
  while (n > 0) {
    sum += n * (n - 1) / 2 * floorDiv(slope, m) + n * floorDiv(offset, m);
    slope = floorMod(slope, m);
    offset = floorMod(offset, m);
    const Wide top = slope * n + offset;
    if (top < m) break;
    n = top / m;
    offset = top % m;
    std::swap(m, slope);
  }
  return sum;
}

/// The inverse of `a` modulo `m`; a and m are coprime.
Wide inverse(Wide a, Wide m) {
  Wide x = 0, next = 1, rest = m, divisor = floorMod(a, m);
  while (divisor != 0) {
    const Wide q = rest / divisor;
    rest = std::exchange(divisor, rest - q * divisor);
    x = std::exchange(next, x - q * next);
  }
  return floorMod(x, m);
}

}  // namespace

// Output y and element t of the window read position
//   p = y * stride + t * dilation - pad
// of the dilated input. It holds an input element if p is in range and a multiple of inDilation.
// For example, with stride 1, dilation 1, pad 0 and inDilation 2: y + t must be even.
//
// The pairs (t, y) that satisfy the divisibility form a lattice. t takes the values t0 + j * step,
// and for each of them y takes every period-th value from (y0 + j * shift) % period on. The number
// of y below n for one t is
//   floor((n - 1 - (y0 + j * shift)) / period) + floor((y0 + j * shift) / period) + 1,
// and floorSum() computes the sums of both terms over j.
std::uint64_t meetings(const Sliding& s) {
  if (s.in <= 0 || s.out <= 0 || s.window <= 0) return 0;
  const Wide stride = s.stride, dilation = s.dilation, pad = s.pad;
  const std::int64_t ofStride = std::gcd(s.stride, s.inDilation);
  const std::int64_t ofBoth = std::gcd(ofStride, s.dilation);
  if (s.pad % ofBoth != 0) return 0;
  const Wide step = ofStride / ofBoth, period = s.inDilation / ofStride;
  const Wide t0 = floorMod(pad / ofBoth * inverse(dilation / ofBoth, step), step);
  const Wide perStride = inverse(stride / ofStride, period);
  const Wide y0 = floorMod((pad - t0 * dilation) / ofStride % period * perStride, period);
  const Wide shift = floorMod(-(step * dilation / ofStride % period * perStride), period);
  const Wide count = t0 < s.window ? (s.window - 1 - t0) / step + 1 : 0;

  /// Number of pairs of the lattice with y * stride + t * dilation <= most.
  const auto upTo = [&](Wide most) {
    const auto below = [&](Wide limit) {  // how many t of the lattice are at most limit / dilation
      return std::clamp(floorDiv(floorDiv(limit, dilation) - t0, step) + 1, Wide{0}, count);
    };
    const Wide all = below(most - (s.out - 1) * stride), some = below(most);
    const Wide slope = -(step * dilation + shift * stride);
    const Wide offset = most - t0 * dilation - y0 * stride;
    const auto cut = [&](Wide n) { return floorSum(n, stride * period, slope, offset); };
    return floorSum(all, period, -shift, s.out - 1 - y0) + cut(some) - cut(all) +
           floorSum(some, period, shift, y0) + some;
  };
  return static_cast<std::uint64_t>(upTo(pad + Wide{s.in - 1} * s.inDilation) - upTo(pad - 1));
}

std::uint64_t saturatingProduct(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::uint64_t>::max()
                                                : product;
}

}  // namespace popir
