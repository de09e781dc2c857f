// Exceptions. In Python they appear as popart_exception and derived classes.
// After popart/error.hpp of PopART 3.
#ifndef popart_error_hpp
#define popart_error_hpp

#include <popart/logging.hpp>

#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// An invalid model, operator or call. The message is formatted as by logging::format: error("{}
/// has {} inputs", name, n).
class error : public std::runtime_error {
 public:
  explicit error(const char* s) : std::runtime_error(s) {}
  explicit error(const std::string& s) : std::runtime_error(s) {}
  template <typename First, typename... Args>
  explicit error(const char* s, const First& first, const Args&... args)
      : std::runtime_error(logging::format(s, first, args...)) {}
  template <typename First, typename... Args>
  explicit error(const std::string& s, const First& first, const Args&... args)
      : std::runtime_error(logging::format(s, first, args...)) {}
  error(const error&) = default;
  ~error() override;
};

/// A violated invariant: a bug in popir.
class internal_error : public error {
 public:
  using error::error;
  ~internal_error() override;
};

/// An error while a compiled model runs.
class runtime_error : public error {
 public:
  using error::error;
  ~runtime_error() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
