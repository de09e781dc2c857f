// Errors that the plan verifier reports, and the names of steps and variables in their messages.
#ifndef popir_engine_plan_faults_hpp
#define popir_engine_plan_faults_hpp

#include <stdexcept>
#include <string>

#include "engine/plan/plan.hpp"
#include "program/lifetimes.hpp"

namespace popir {

/// An inconsistent plan. The message names the step or variable by number and name.
struct PlanFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "Step 3 'conv + relu' of program 0", "Step 0 'weights' of the prologue".
std::string stepText(const Plan& plan, std::size_t program, std::size_t step);
/// "variable 7 'scores'".
std::string variableText(const Plan& plan, unsigned variable);

/// The part of PlanVerifier::verify() that checks buffers. `uses` is usesOf() of the plan.
/// \pre all other checks have passed. \throws PlanFault
void verifyBuffers(const Plan& plan, const std::vector<std::vector<Use>>& uses);

}  // namespace popir

#endif
