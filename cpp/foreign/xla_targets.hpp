// Targets of XLA's custom calls: functions by name and platform, and the libraries that register
// them.
//
// Registrations run in static initializers, where an exception would end the process. So what is
// wrong is recorded as a fault, which is read later.
#ifndef popir_foreign_xla_targets_hpp
#define popir_foreign_xla_targets_hpp

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "foreign/xla_ffi_abi.hpp"

namespace popir::foreign::xla {

/// One function, or the handlers of one custom call with the typed interface.
struct Target {
  std::string name;
  /// "Host", "CUDA" or "ROCM".
  std::string platform;
  /// Whether it is called with a frame (API version 4).
  bool typed = false;
  /// The function; null if it is typed.
  void* function = nullptr;
  /// The handlers, if it is typed.
  ffi::Bundle bundle;
  /// The absolute path of the library that registered it; "" for Python code.
  std::string library;
  /// What the library is called: its path, or the sources it was built from.
  std::string source;
  /// The load address of that library: that of a rebuilt one differs.
  const void* base = nullptr;

  /// What is called to run it.
  const void* address() const {
    return typed ? reinterpret_cast<const void*>(bundle.execute) : function;
  }
};

#pragma GCC visibility push(default)

/// The platform that users call `name`: "Host" for "cpu", "CUDA" for "gpu"; "" if there is none.
std::string platformOf(const std::string& name);

/// What is wrong with a registration.
struct Fault {
  /// Whether another function has the name.
  bool isDuplicate = false;
  std::string text;
};

class Targets {
 public:
  static Targets& instance();

  /// Records a fault for an unknown platform, and if another function has that name. Then all
  /// targets of the library are refused. A rebuilt library replaces its predecessor's.
  void add(Target target) noexcept;
  /// The library that is loaded from `path` after this call is called `source`, and can be found
  /// again at `library`. So one that is rebuilt to another file replaces the previous build.
  void nameLibrary(const std::string& path, const std::string& source, const std::string& library);
  /// Sets library, source and base to those of the library that contains the address.
  void setOrigin(Target& target, const void* where) const;
  std::optional<Target> find(const std::string& name, const std::string& platform) const;
  std::vector<Target> all() const;
  /// Removes one. Returns whether it was there.
  bool remove(const std::string& name, const std::string& platform);
  /// The faults since the last call.
  std::vector<Fault> takeFaults();
  /// The faults for which the library that is loaded from there was refused; none if it was not.
  std::vector<Fault> refusals(const std::string& library) const;
  /// Changes with every registration, failed ones included.
  unsigned generation() const;

 private:
  void admit(Target target);
  void refuse(const Target& target, bool isDuplicate, const std::string& why);

  mutable std::mutex mutex_;
  std::vector<Target> targets_;
  std::vector<Fault> faults_;
  /// By library: its load address and its faults.
  std::map<std::string, std::pair<const void*, std::vector<Fault>>> refused_;
  /// By path: source and library.
  std::map<std::string, std::pair<std::string, std::string>> names_;
  unsigned generation_ = 0;
};

#pragma GCC visibility pop

}  // namespace popir::foreign::xla

#endif
