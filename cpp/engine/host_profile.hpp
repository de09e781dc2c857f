// Host time by instruction, for the engine option "host.profile".
#ifndef popir_engine_host_profile_hpp
#define popir_engine_host_profile_hpp

#include <chrono>
#include <cstdint>
#include <vector>

namespace popir {

/// Executions and time of one instruction, over all runs of the engine.
struct HostTime {
  std::uint64_t runs = 0;
  std::uint64_t nanoseconds = 0;
};

/// Adds the time since the last charge to the instruction that has just ended. If `times` is empty,
/// it reads no clock; the cost is then one branch for each instruction.
class HostClock {
 public:
  explicit HostClock(std::vector<HostTime>& times) : times_(times.empty() ? nullptr : &times[0]) {
    if (times_) last_ = Clock::now();
  }
  /// Instruction `i` has just ended.
  void charge(std::size_t i) {
    if (!times_) return;
    const auto now = Clock::now();
    ++times_[i].runs;
    times_[i].nanoseconds += static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(now - last_).count());
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  HostTime* times_;
  Clock::time_point last_;
};

}  // namespace popir

#endif
