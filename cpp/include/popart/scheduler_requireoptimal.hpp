// Whether a schedule has to be the best. After popart/scheduler_requireoptimal.hpp of PopART 3.
#ifndef popart_scheduler_requireoptimal_hpp
#define popart_scheduler_requireoptimal_hpp

namespace popart {

/// Without effect: a graph has one schedule.
enum class RequireOptimalSchedule { No = 0, Yes };

}  // namespace popart

#endif
