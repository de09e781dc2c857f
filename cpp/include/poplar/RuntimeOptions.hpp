// Options of running engines. After poplar/RuntimeOptions.hpp of the Poplar SDK 3.
#ifndef poplar_RuntimeOptions_hpp
#define poplar_RuntimeOptions_hpp

#include <poplar/OptionFlags.hpp>

#pragma GCC visibility push(default)

namespace poplar {

/// Those options of an Engine that one run may have otherwise: target.syncMethod and the like, and
/// streamCallbacks. They say how a host waits for hardware and calls callbacks, so none has an effect
/// here; each that is given is noted, as an Engine's are. The environment variable
/// POPLAR_RUNTIME_OPTIONS, a JSON object of strings, overrides them.
class RuntimeOptions {
 public:
  /// \throws invalid_option for an option that is no such one, or a value that it does not have
  RuntimeOptions(const OptionFlags& options = {});
  RuntimeOptions(const RuntimeOptions&) = default;
  RuntimeOptions& operator=(const RuntimeOptions&) = default;

  const OptionFlags& flags() const { return flags_; }

 private:
  OptionFlags flags_;
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
