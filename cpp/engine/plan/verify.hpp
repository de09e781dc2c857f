// The plan verifier: checks that an engine's plan is consistent.
#ifndef popir_engine_plan_verify_hpp
#define popir_engine_plan_verify_hpp

#include <unordered_set>
#include <vector>

#include "engine/plan/plan.hpp"

namespace popir {

/// Verifies one plan several times while passes change it.
class PlanVerifier {
 public:
  /// `grown` is the plan before any pass. If a user's program reads a variable before all of it is
  /// written, that is not a fault of the passes: verify() then accepts such reads of it.
  explicit PlanVerifier(const Plan& grown);

  /// \throws PlanFault (engine/plan/faults.hpp) unless all of the following holds.
  ///
  /// - Each step has the members that its kind needs. Its tensors stay inside of existing
  ///   variables, and no step writes a constant.
  /// - Jumps and repeats lead to steps of the same program, and never into the middle of a loop or
  ///   conditional. Loops, conditionals and leaves nest.
  /// - All elements of a variable are written before any is read.
  /// - Only the prologue writes invariant variables. It reads and writes no others.
  ///
  /// After buffer assignment, also:
  /// - Each variable in use has a buffer of a kind that may hold it.
  /// - Variables that are live at the same time share no byte.
  /// - Only kernels that accept a layout in blocks of channels use variables with this layout.
  void verify(const Plan& plan);

 private:
  std::vector<bool> mayBeUndefined_;    // by variable: `grown` reads it before all is written
  std::unordered_set<ViewPtr> inside_;  // views already found to stay inside of their variables
};

}  // namespace popir

#endif
