// What the loops of a pooling need to know, fixed when it is prepared.
//
// A plane is what one task works on: the spatial positions of `lanes` neighbouring channels, which
// lie side by side: one channel of a plain layout, or a block. All positions and sizes of planes
// and rows count groups of lanes.
#ifndef popir_kernels_pool_plan_hpp
#define popir_kernels_pool_plan_hpp

#include <cstdint>
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

constexpr bool isMax(PoolKind k) { return k == PoolKind::Max || k >= PoolKind::MaxGradFirst; }
constexpr bool isGrad(PoolKind k) { return k >= PoolKind::SumGrad; }
constexpr bool isAverage(PoolKind k) {
  return k == PoolKind::Average || k == PoolKind::AverageGrad;
}

/// One spatial dimension. Output o looks at inputs o * stride - pad + k * dilation, k < kernel.
struct PoolAxis {
  std::int64_t in, out, kernel, stride, dilation, pad;
  /// For each output: how many elements of its window an average divides by.
  std::vector<std::int64_t> counts;

  std::int64_t at(std::int64_t o, std::int64_t k) const { return o * stride - pad + k * dilation; }
};

/// Where the planes of an operand lie.
struct PoolOperand {
  std::int64_t channels, plane;
  std::int64_t block;  // channels side by side; 1 if plain

  PoolOperand() = default;
  explicit PoolOperand(const Layout& layout);
  std::int64_t offset(std::int64_t batch, std::int64_t channel) const {
    return ((batch * channels + channel) / block * plane) * block + channel % block;
  }
};

struct PoolPlan {
  PoolKind kind;
  std::vector<PoolAxis> outer;  // all spatial dimensions but the last
  PoolAxis row;                 // the last
  std::int64_t batch, channels, lanes;
  PoolOperand in, out;  // of the forward pass; gradients have the layouts inGrad and outGrad
  PoolOperand inGrad, outGrad;
  std::int64_t outerOut, outerWindow;  // products over `outer`
  unsigned threads;

  std::int64_t planes() const { return batch * (channels / lanes); }
};

/// The loops for one element type and instruction set.
struct PoolFunctions {
  /// Scratch for one thread.
  std::size_t (*scratchBytes)(const PoolPlan& plan);
  /// Output rows [begin, end) of a plane. Gradients: all of a plane; `begin` and `end` say nothing.
  void (*run)(const PoolPlan& plan, void* const* operands, void* scratch, std::int64_t plane,
              std::int64_t begin, std::int64_t end);

  explicit operator bool() const { return run != nullptr; }
};

/// Null if the kind of pooling does not take the type.
PoolFunctions poolFunctions(poplar::Type type, PoolKind kind);
namespace base {
PoolFunctions poolFunctions(poplar::Type type, PoolKind kind);
}
namespace avx2 {
PoolFunctions poolFunctions(poplar::Type type, PoolKind kind);
}
namespace avx512 {
PoolFunctions poolFunctions(poplar::Type type, PoolKind kind);
}

}  // namespace popir

#endif
