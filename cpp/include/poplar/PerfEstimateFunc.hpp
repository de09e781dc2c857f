// Cost estimators of vertex types. After poplar/PerfEstimateFunc.hpp of the Poplar SDK 3.
#ifndef poplar_PerfEstimateFunc_hpp
#define poplar_PerfEstimateFunc_hpp

#include <cstdint>
#include <functional>

#pragma GCC visibility push(default)

namespace poplar {

class Target;
class VertexIntrospector;

/// Cycles, with the meaning of Graph::setPerfEstimate, and floating-point operations.
struct VertexPerfEstimate {
  VertexPerfEstimate() = default;
  VertexPerfEstimate(std::uint64_t cycles, std::uint64_t flops = 0)
      : cycles(cycles), flops(flops) {}
  std::uint64_t cycles = 0;
  std::uint64_t flops = 0;
};

using PerfEstimateFunc =
    std::function<VertexPerfEstimate(const VertexIntrospector& vertex, const Target& target)>;

}  // namespace poplar

#pragma GCC visibility pop

#endif
