// Divides the work of a runner among the threads that it was prepared for.
#ifndef popir_kernels_parallel_hpp
#define popir_kernels_parallel_hpp

#include <cstdint>

namespace popir {

/// Calls `task(i)` for i in [0, tasks), in any order, on up to `threads` OpenMP threads. `work` is
/// the approximate work of all tasks together, in elements. Each thread gets at least kGrain of it;
/// with less than 2 * kGrain the caller's thread runs all tasks, without a parallel region. Tasks
/// must not throw.
template <class Task>
void parallelFor(std::int64_t tasks, unsigned threads, std::int64_t work, const Task& task) {
  constexpr std::int64_t kGrain = 16 * 1024;
  const std::int64_t most = work / kGrain < tasks ? work / kGrain : tasks;
  if (threads <= 1 || most <= 1) {
    for (std::int64_t i = 0; i < tasks; ++i) task(i);
    return;
  }
  const int team = static_cast<int>(most < threads ? most : threads);
#pragma omp parallel for schedule(static) num_threads(team)
  for (std::int64_t i = 0; i < tasks; ++i) task(i);
}

}  // namespace popir

#endif
