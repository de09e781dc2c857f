// The plan of a pooling: everything that its loops need, fixed when the kernel is prepared.
//
// A plane is one channel of one sample; planes are numbered in the order [batch, channel]. The
// loops work on groups of `lanes` consecutive planes. They need the elements of a group at one
// position to be contiguous: [position, lane]. An operand in blocks of `lanes` channels is stored
// like this and used in place, unless it has 16-bit floats. Any other operand is copied to scratch
// memory in this form, but for plain ones whose planes are pooled one after the other (`isPlain`).
// A band is a range of outputs along the first spatial dimension. A task
// computes one band of one group.
#ifndef popir_kernels_pooling_pool_plan_hpp
#define popir_kernels_pooling_pool_plan_hpp

#include <cstdint>
#include <tuple>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/movement/tiles.hpp"

namespace popir {

enum class PoolKind {
  Max,
  Sum,
  Average,
  SumGrad,
  AverageGrad,
  MaxGradFirst,   ///< the gradient of an output goes to the first maximum of its window
  MaxGradAll,     ///< the gradient goes to every maximum
  MaxGradShared,  ///< the gradient is divided equally among the maxima
};
constexpr PoolKind lastOf(PoolKind) { return PoolKind::MaxGradShared; }

constexpr bool isMax(PoolKind k) { return k == PoolKind::Max || k >= PoolKind::MaxGradFirst; }
constexpr bool isGrad(PoolKind k) { return k >= PoolKind::SumGrad; }
constexpr bool isAverage(PoolKind k) {
  return k == PoolKind::Average || k == PoolKind::AverageGrad;
}

/// The numbers from `begin` to `end` - 1.
struct PoolRange {
  std::int64_t begin, end;
};

/// One spatial dimension. The window of output o has taps k < kernel; tap k reads the input at
/// o * stride - pad + k * dilation.
struct PoolAxis {
  std::int64_t in, out, kernel, stride, dilation, pad;
  /// By output: how many taps of this dimension an average counts. It divides by the product of the
  /// counts of all dimensions.
  std::vector<std::int64_t> counts;
  /// By output: the taps that read inside of the input, not in the padding. Set by prepare().
  std::vector<PoolRange> inside = {};
  /// The outputs whose windows are entirely inside of the input. Set by prepare().
  PoolRange whole = {0, 0};

  /// The members that prepare() does not set, for saved executables.
  auto state() const { return std::tie(in, out, kernel, stride, dilation, pad, counts); }
  std::int64_t at(std::int64_t o, std::int64_t k) const { return o * stride - pad + k * dilation; }
};

/// The memory layout of an operand.
struct PoolOperand {
  std::int64_t positions = 0;  // in a plane
  std::int64_t block = 1;      // contiguous channels; 1 if plain
  bool isLast = false;         // all channels of a position are contiguous

  PoolOperand() = default;
  explicit PoolOperand(const Layout& layout);
  /// Offset of the first element of a plane. The others follow at distances of `block` elements.
  std::int64_t offset(std::int64_t plane) const {
    return plane / block * positions * block + plane % block;
  }
};

struct PoolPlan {
  PoolKind kind;
  std::vector<PoolAxis> axes;
  std::int64_t planes, lanes, channels;
  PoolOperand in, out, inGrad;  // `out` is also the layout of the output's gradient
  std::int64_t rows;            // rows of the output in a plane
  std::int64_t window;          // input rows in a window, at most
  std::int64_t band = 0;        // length of a band; gradients have a single band
  bool isPlain = false;         // whether planes are pooled where they lie, one after the other
  /// Turns the rows of a window to channels last before they are pooled; null if they lie so, or
  /// stay as they lie.
  TransposeMatrix turn = nullptr;
  TransposeMatrix transpose;  // of elements
  Rounding rounding;

  std::int64_t groups() const { return (planes + lanes - 1) / lanes; }
  std::int64_t bands() const { return (axes[0].out + band - 1) / band; }
};

/// The loops for one element type and instruction set.
struct PoolFunctions {
  /// Scratch for one thread.
  std::size_t (*scratchBytes)(const PoolPlan& plan);
  void (*run)(const PoolPlan& plan, void* const* operands, void* scratch, std::int64_t group,
              std::int64_t band);

  explicit operator bool() const { return run != nullptr; }
};

/// Pools row `task`, of the outputs of all samples, where an operand has channels last. `scratch` has
/// `window` numbers of 8 bytes and an element for each channel; and, with `turn`, of `window` rows.
using LastPooling = void (*)(const PoolPlan& plan, const void* in, void* out, void* scratch,
                             std::int64_t task);

/// Null if the kind of pooling does not take the type. Lanes: 8 or 16. Null of lastPooling(), too, for
/// those that take no channels last.
PoolFunctions poolFunctions(poplar::Type type, PoolKind kind, std::int64_t lanes);
LastPooling lastPooling(poplar::Type type, PoolKind kind);
namespace base {
LastPooling lastPooling(poplar::Type type, PoolKind kind);
PoolFunctions poolFunctions(poplar::Type type, PoolKind kind, std::int64_t lanes);
}  // namespace base
namespace avx2 {
LastPooling lastPooling(poplar::Type type, PoolKind kind);
PoolFunctions poolFunctions(poplar::Type type, PoolKind kind, std::int64_t lanes);
}  // namespace avx2
namespace avx512 {
LastPooling lastPooling(poplar::Type type, PoolKind kind);
PoolFunctions poolFunctions(poplar::Type type, PoolKind kind, std::int64_t lanes);
}  // namespace avx512

}  // namespace popir

#endif
