// Floating-point checks: what the engine options debug.floatPointOpException and
// debug.nanOverflowException switch on.
#ifndef popir_poplar_float_checks_hpp
#define popir_poplar_float_checks_hpp

#include <poplar/OptionFlags.hpp>

#include <memory>
#include <string>
#include <vector>

#include "kernels/kernel.hpp"

namespace popir {

/// What ends a run where a vertex makes it of operands that do not have it.
struct FloatChecks {
  bool operations = false;  // NaN, and infinities but in half
  bool overflow = false;    // infinities in half
  bool any() const { return operations || overflow; }
};

FloatChecks floatChecksFrom(const poplar::OptionFlags& options);

/// `runner`, and after each run a look at what it has written. `layouts` and `access` are those of
/// its operands; `name` and `kernel` are the vertex's. Running it throws
/// poplar::application_runtime_error for what the checks find.
std::unique_ptr<Runner> watched(std::unique_ptr<Runner> runner, const FloatChecks& checks,
                                const std::vector<Layout>& layouts,
                                const std::vector<Access>& access, std::string name,
                                const char* kernel);

}  // namespace popir

#endif
