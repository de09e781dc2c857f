// How a kernel's results become 16-bit floats: to nearest, or stochastically.
#ifndef popir_kernels_rounding_hpp
#define popir_kernels_rounding_hpp

#include <cstdint>

#include "kernels/vector/ops.hpp"

namespace popir {

/// What the draws of an engine depend on, beside which result of a step it is. A step that rounds
/// stochastically has a number of its own each time that it runs.
struct RoundingState {
  std::uint32_t seed[2] = {0, 0};
  std::uint32_t modifier = 0;
  /// The number of the step that runs, counted from where the seed was set.
  std::uint64_t number = 0;
};

/// To nearest, ties to even: the same as RoundingState null. Stochastically: x, between two
/// neighbours of the type, becomes the one away from zero with a probability that is its distance
/// to the other, measured in theirs, up to 2^-24. What the type holds stays what it is, and so do
/// infinities; NaN becomes what it becomes to nearest. Neither way changes what is too large: from
/// half way beyond the largest number on, it is infinity.
class Rounding {
 public:
  Rounding() = default;
  /// Looks at `state` in each run, which has to live as long.
  explicit Rounding(const RoundingState* state) : state_(state) {}

  bool isStochastic() const { return state_ != nullptr; }

  /// Stores n floating-point numbers of type `from` as 16-bit floats of type `to`. They are the
  /// results of a step with the numbers from `first` on; each result of a run should have a number
  /// of its own. `value` tells apart values that are rounded on the way to the results.
  void store(Lane from, Lane to, const void* in, void* out, std::int64_t n, std::int64_t first,
             std::uint16_t value = 0) const;

 private:
  const RoundingState* state_ = nullptr;
};

}  // namespace popir

#endif
