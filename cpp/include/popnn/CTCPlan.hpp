// After popnn/CTCPlan.hpp of PopLibs 3.
#ifndef popnn_CTCPlan_hpp
#define popnn_CTCPlan_hpp

#include <poputil/DebugInfo.hpp>

#include <ostream>

namespace popnn {
namespace ctc {

/// A plan of the functions of CTCLoss.hpp and CTCInference.hpp. There is one plan.
class Plan {
 public:
  friend bool operator<(const Plan&, const Plan&) { return false; }
  friend bool operator==(const Plan&, const Plan&) { return true; }
  friend bool operator!=(const Plan&, const Plan&) { return false; }
  friend std::ostream& operator<<(std::ostream& os, const Plan&) { return os << "Plan"; }
};

}  // namespace ctc
}  // namespace popnn

#endif
