// How a kernel's results become 16-bit floats: to nearest, or stochastically.
#ifndef popir_kernels_rounding_hpp
#define popir_kernels_rounding_hpp

#include <cstdint>

#include "kernels/vector/ops.hpp"

namespace popir {

/// The engine's part of what a random draw depends on. The other part is the number of the result
/// within its step (Rounding::store).
struct RoundingState {
  std::uint32_t seed[2] = {0, 0};
  std::uint32_t modifier = 0;
  /// Number of executions of drawing steps since the seed was set, the current one included.
  std::uint64_t number = 0;
};

/// A rounding mode for 16-bit floats: to nearest with ties to even, or stochastic.
///
/// Stochastic: let x lie between the representable numbers a and b, |a| < |b|. x becomes b with
/// probability (x - a) / (b - a), else a. The probability is accurate to 2^-24. For example, HALF
/// represents 1 and 1 + 2^-10; 1 + 2^-12 becomes 1 + 2^-10 with probability 1/4, else 1.
///
/// Both modes give the same result for representable numbers and infinities, which they keep, for
/// NaN, and for numbers beyond the largest finite one, which they round to nearest. In HALF this is
/// 65504, and the next number would be 65536: numbers from 65504 to below 65520 become 65504,
/// numbers from 65520 on infinity.
class Rounding {
 public:
  Rounding() = default;
  /// Stochastic rounding; to nearest if `state` is null. store() reads `state`, which must outlive
  /// this object.
  explicit Rounding(const RoundingState* state) : state_(state) {}

  bool isStochastic() const { return state_ != nullptr; }

  /// Rounds n floating-point numbers of type `from` to 16-bit floats of type `to`. Element i is
  /// result number `first + i` of the step; the number determines its random draw, so no two
  /// results of one execution should share one. If a step also rounds intermediate values, `value`
  /// distinguishes those with the same result number.
  void store(Lane from, Lane to, const void* in, void* out, std::int64_t n, std::int64_t first,
             std::uint16_t value = 0) const;

 private:
  const RoundingState* state_ = nullptr;
};

}  // namespace popir

#endif
