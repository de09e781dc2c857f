// After popsparse/PlanningCache.hpp of PopLibs 3.
#ifndef popsparse_PlanningCache_hpp
#define popsparse_PlanningCache_hpp

#pragma GCC visibility push(default)
namespace poplin {
class PlanningCache;
}

namespace popsparse {
namespace dynamic {

/// Accepted, and empty: there is one plan.
class PlanningCache {
 public:
  PlanningCache() = default;
  explicit PlanningCache(poplin::PlanningCache*) {}
};

}  // namespace dynamic
namespace static_ {

using dynamic::PlanningCache;

}  // namespace static_
}  // namespace popsparse
#pragma GCC visibility pop

#endif
