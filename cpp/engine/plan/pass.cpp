#include "engine/plan/pass.hpp"

#include <poplar/exceptions.hpp>

#include "engine/plan/faults.hpp"
#include "engine/plan/verify.hpp"
#include "support/option_table.hpp"

namespace popir {
namespace {

std::string whenItBroke(const std::vector<const Pass*>& ran) {
  if (ran.empty()) return "before any pass";
  std::string text = std::string("after the pass '") + ran.back()->name() + "' (" +
                     ran.back()->contract() + "); before it ran ";
  for (std::size_t i = 0; i + 1 < ran.size(); ++i)
    text += std::string(i > 0 ? ", '" : "'") + ran[i]->name() + "'";
  return text + (ran.size() == 1 ? "none" : "");
}

}  // namespace

void runPasses(Plan& plan, const Passes& passes, const poplar::OptionFlags& options) {
  std::unique_ptr<PlanVerifier> verifier;
  std::vector<const Pass*> ran;
  const auto verify = [&] {
    try {
      if (verifier) verifier->verify(plan);
    } catch (const PlanFault& fault) {
      throw poplar::graph_program_compilation_error(
          "Engine: the plan is wrong " + whenItBroke(ran) + ". " + fault.what() +
          ". This is a fault of the engine and not of the program; the option host.fuse = 'false' "
          "leaves out what can be left out");
    }
  };
  if (flagFrom(options, "debug.verifyPlan", false)) verifier = std::make_unique<PlanVerifier>(plan);
  verify();
  for (const auto& [option, pass] : passes) {
    if (option != nullptr && !flagFrom(options, option)) continue;
    if (isNamed(options, "host.without", pass->name())) continue;
    const auto note = pass->run(plan);
    if (!note.empty()) plan.notes.push_back(std::string(pass->name()) + ": " + note);
    ran.push_back(pass.get());
    verify();
  }
}

std::string counted(std::size_t n, const std::string& one, const std::string& many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

}  // namespace popir
