// What the loops of a pooling need to know, fixed when it is prepared.
//
// The channels of all samples are planes, numbered in order. They are worked on in groups of
// `lanes` neighbours, whose elements of one position lie side by side: as they do in an operand
// with blocks of that many channels, and as an operand of another layout is copied to scratch. A
// task is a group and a band: a range of outputs along the first spatial dimension.
#ifndef popir_kernels_pooling_pool_plan_hpp
#define popir_kernels_pooling_pool_plan_hpp

#include <cstdint>
#include <tuple>
#include <vector>

#include "kernels/kernel.hpp"

namespace popir {

enum class PoolKind {
  Max,
  Sum,
  Average,
  SumGrad,
  AverageGrad,
  MaxGradFirst,   ///< to the first maximum of a window
  MaxGradAll,     ///< to every maximum
  MaxGradShared,  ///< in equal parts to every maximum
};
constexpr PoolKind lastOf(PoolKind) { return PoolKind::MaxGradShared; }

constexpr bool isMax(PoolKind k) { return k == PoolKind::Max || k >= PoolKind::MaxGradFirst; }
constexpr bool isGrad(PoolKind k) { return k >= PoolKind::SumGrad; }
constexpr bool isAverage(PoolKind k) {
  return k == PoolKind::Average || k == PoolKind::AverageGrad;
}

/// A range of numbers, without `end`.
struct PoolRange {
  std::int64_t begin, end;
};

/// One spatial dimension. Output o looks at inputs o * stride - pad + k * dilation, k < kernel.
struct PoolAxis {
  std::int64_t in, out, kernel, stride, dilation, pad;
  /// For each output: how many elements of its window an average divides by.
  std::vector<std::int64_t> counts;
  /// For each output: the elements of its window that are inside; set when a kernel is prepared.
  std::vector<PoolRange> inside = {};
  /// The outputs whose windows are inside as a whole; likewise.
  PoolRange whole = {0, 0};

  /// What it is before a kernel is prepared; for saved programs.
  auto state() const { return std::tie(in, out, kernel, stride, dilation, pad, counts); }
  std::int64_t at(std::int64_t o, std::int64_t k) const { return o * stride - pad + k * dilation; }
};

/// Where the elements of an operand lie.
struct PoolOperand {
  std::int64_t positions = 0;  // of a plane
  std::int64_t block = 1;      // channels side by side; 1 if plain

  PoolOperand() = default;
  explicit PoolOperand(const Layout& layout);
  /// The first element of a plane; its others follow in steps of `block`.
  std::int64_t offset(std::int64_t plane) const {
    return plane / block * positions * block + plane % block;
  }
};

struct PoolPlan {
  PoolKind kind;
  std::vector<PoolAxis> axes;
  std::int64_t planes, lanes;
  PoolOperand in, out, inGrad;  // the gradient of the output has the layout `out`
  std::int64_t rows;            // outputs of all dimensions but the last
  std::int64_t window;          // rows of a window, at most
  std::int64_t band;            // outputs of a band; gradients have one band
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

/// Null if the kind of pooling does not take the type. Lanes: 8 or 16.
PoolFunctions poolFunctions(poplar::Type type, PoolKind kind, std::int64_t lanes);
namespace base {
PoolFunctions poolFunctions(poplar::Type type, PoolKind kind, std::int64_t lanes);
}
namespace avx2 {
PoolFunctions poolFunctions(poplar::Type type, PoolKind kind, std::int64_t lanes);
}
namespace avx512 {
PoolFunctions poolFunctions(poplar::Type type, PoolKind kind, std::int64_t lanes);
}

}  // namespace popir

#endif
