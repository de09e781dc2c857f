// Divides the work of a runner among the threads that it was prepared for.
#ifndef popir_kernels_parallel_hpp
#define popir_kernels_parallel_hpp

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/pool.hpp"

namespace popir {

/// Calls `run(first, last, thread)` for parts of [0, tasks), in any order, on up to `threads`
/// threads; `thread` says on which of them, below `threads`. A part is a grain of `grain` tasks.
template <class Run>
void parallelParts(std::int64_t tasks, std::int64_t grain, unsigned threads, const Run& run) {
  if (tasks <= 0) return;
  const auto call = [](const void* context, std::int64_t first, std::int64_t last,
                       unsigned thread) {
    (*static_cast<const Run*>(context))(first, last, thread);
  };
  pool::run({call, &run}, tasks, grain, threads);
}

/// Calls `task(i)` or `task(i, thread)` for i in [0, tasks) in the same way. `work` is the
/// approximate work of all tasks together, in elements. Another thread takes part for at least
/// kWorkOfThread of it; with less than twice that the caller runs all tasks. What a task throws
/// reaches the caller, and tasks that have not begun are dropped.
template <class Task>
void parallelFor(std::int64_t tasks, unsigned threads, std::int64_t work, const Task& task) {
  constexpr std::int64_t kWorkOfThread = 8 * 1024, kWorkOfGrain = 4 * 1024, kGrainsOfThread = 8;
  const auto each = [&](std::int64_t first, std::int64_t last, unsigned thread) {
    for (std::int64_t i = first; i < last; ++i) {
      if constexpr (std::is_invocable_v<const Task&, std::int64_t, unsigned>)
        task(i, thread);
      else
        task(i);
    }
  };
  const std::int64_t most = std::min({work / kWorkOfThread, tasks, std::int64_t{threads}});
  if (most <= 1) return each(0, tasks, 0);
  const std::int64_t grains =
      std::clamp<std::int64_t>(work / kWorkOfGrain, most, kGrainsOfThread * most);
  parallelParts(tasks, std::max<std::int64_t>(tasks / grains, 1), static_cast<unsigned>(most),
                each);
}

}  // namespace popir

#endif
