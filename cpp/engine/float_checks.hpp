// Floating-point checks of the engine options debug.floatPointOpException and
// debug.nanOverflowException, and of poplar::setFloatingPointBehaviour.
#ifndef popir_engine_float_checks_hpp
#define popir_engine_float_checks_hpp

#include <poplar/OptionFlags.hpp>

#include <memory>
#include <string>
#include <vector>

#include "kernels/kernel.hpp"

namespace popir {

/// Which values end a run if a vertex writes them though none of its operands had them.
struct FloatChecks {
  bool nan = false;
  bool infinity = false;  // in types other than half
  bool half = false;      // infinity in half
  bool any() const { return nan || infinity || half; }
};

/// \param traps bits of FloatTrap that programs ask for
FloatChecks floatChecksFrom(const poplar::OptionFlags& options, unsigned traps);

/// Wraps `runner` in one that checks the written operands after each run, and throws
/// poplar::application_runtime_error if a check fails. `layouts` and `access` describe the
/// operands; `name` and `kernel` are the names of the vertex and its kernel, for the message.
std::unique_ptr<Runner> watched(std::unique_ptr<Runner> runner, const FloatChecks& checks,
                                const std::vector<Layout>& layouts,
                                const std::vector<Access>& access, std::string name,
                                const char* kernel);

}  // namespace popir

#endif
