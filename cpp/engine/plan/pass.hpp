// The interface of a pass over an engine's plan, and the function that runs passes.
#ifndef popir_engine_plan_pass_hpp
#define popir_engine_plan_pass_hpp

#include <poplar/OptionFlags.hpp>

#include <memory>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"

namespace popir {

class Pass {
 public:
  virtual ~Pass() = default;
  virtual const char* name() const = 0;
  /// Whether no engine runs without it; the option host.without may leave out all others.
  virtual bool isNeeded() const { return false; }
  /// One sentence that is true of the plan after this pass.
  virtual const char* contract() const = 0;
  /// \returns a note for Engine.planText() on what the pass did; empty if it changed nothing.
  virtual std::string run(Plan& plan) const = 0;
};

/// A pass, and the engine option of type Flag that switches it on or off, alone or with others; null if
/// there is none. Each pass that is not needed also has its name in host.without.
struct PassRow {
  const char* option;
  std::shared_ptr<const Pass> pass;
};
using Passes = std::vector<PassRow>;

/// Runs the passes that are switched on, and adds their notes to the plan. With the option
/// debug.verifyPlan, verifies the plan before the first pass and after each pass.
/// \throws poplar::graph_program_compilation_error if the verifier (engine/plan/verify.hpp) finds
///         a fault. The message names the last pass that ran.
__attribute__((visibility("default"))) void runPasses(Plan& plan, const Passes& passes,
                                                      const poplar::OptionFlags& options);

/// "3 copies", "1 copy"; for the notes of passes.
std::string counted(std::size_t n, const std::string& one, const std::string& many);

}  // namespace popir

#endif
