// The plan verifier: checks that an engine's plan is consistent.
#ifndef popir_engine_plan_verify_hpp
#define popir_engine_plan_verify_hpp

#include <set>
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
  /// - Each step has the members that its kind needs: operands that its kernel takes, a tensor of
  ///   its stream's size. Its tensors stay inside of existing variables.
  /// - No step writes a constant, or a tensor that has an element twice; an element-wise step does
  ///   not write over elements that it reads for others.
  /// - Jumps and repeats lead to steps of the same program, and never into the middle of a loop or
  ///   conditional. Loops, conditionals and leaves nest. What a jump may leave out is conditional.
  /// - All elements of a variable are written before any is read; what the host reads is written.
  /// - Only the prologue writes invariant variables. It reads and writes no others.
  ///
  /// After buffer assignment, also:
  /// - Each variable in use has a buffer of a kind that may hold it; a host's buffer holds one
  ///   output of a program.
  /// - Variables that are live at the same time share no byte.
  /// - Only kernels that accept a layout in blocks of channels use variables with this layout.
  ///
  /// It does not look at what steps compute, in which order they write a variable that each writes
  /// whole, or how often a loop repeats: the comparison of a pass's outputs is for that.
  void verify(const Plan& plan);

 private:
  std::vector<bool> mayBeUndefined_;       // by variable: `grown` reads it before all is written
  std::set<unsigned> writtenForHost_;      // variables that the host reads and `grown` writes
  std::unordered_set<ViewPtr> inside_;     // views already found to stay inside of their variables
  std::unordered_set<ViewPtr> writeable_;  // views already found to have no element twice
};

}  // namespace popir

#endif
