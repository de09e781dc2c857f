// Loops with a counter on the device. After popops/Loop.hpp of PopLibs 3.
#ifndef popops_Loop_hpp
#define popops_Loop_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <functional>

#pragma GCC visibility push(default)

namespace popops {

/// Makes the body of a loop for its counter, UNSIGNED_INT[1], which it must not write. Called once.
using CountedLoopBodyType = std::function<poplar::program::Program(const poplar::Tensor&)>;

/// Runs the body for begin, begin + step, ... below end.
/// \throws poputil::poplibs_error for a step of 0, and for an end beyond 32 bits
poplar::program::Sequence countedLoop(poplar::Graph& graph, std::size_t begin, std::size_t end,
                                      std::size_t step, const CountedLoopBodyType& body,
                                      const poplar::DebugContext& debugContext = {});

/// Runs the body for 0, 1, ... below count.
/// \throws poputil::poplibs_error for a count beyond 32 bits
poplar::program::Sequence countedLoop(poplar::Graph& graph, std::size_t count,
                                      const CountedLoopBodyType& body,
                                      const poplar::DebugContext& debugContext = {});

/// Sets `count`, which the body may read, to initialCount, and runs the body while it differs from
/// the limit, adding countStep after each time. Both are of one element, and INT or UNSIGNED_INT.
/// \throws poputil::poplibs_error for other tensors, and for a step of 0
poplar::program::Sequence countedForLoop(poplar::Graph& graph, const poplar::Tensor& count,
                                         int initialCount, const poplar::Tensor& countLimit,
                                         int countStep, const poplar::program::Program& body,
                                         const poplar::DebugContext& debugContext = {});

/// The same with a counter of its own.
poplar::program::Sequence countedForLoop(poplar::Graph& graph, int initialCount,
                                         const poplar::Tensor& countLimit, int countStep,
                                         const poplar::program::Program& body,
                                         const poplar::DebugContext& debugContext = {});

}  // namespace popops

#pragma GCC visibility pop

#endif
