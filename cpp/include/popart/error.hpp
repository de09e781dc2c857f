// popart/error.hpp: the errors of the compiler. In Python they arrive as popart_exception and
// kinds.
#ifndef popart_error_hpp
#define popart_error_hpp

#include <popart/logging.hpp>

#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// A model, an operator or a call that cannot be accepted. The message is formatted as by
/// logging::format: error("{} has {} inputs", name, n).
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

/// A state that should not be reachable.
class internal_error : public error {
 public:
  using error::error;
  ~internal_error() override;
};

/// A fault while a compiled model runs.
class runtime_error : public error {
 public:
  using error::error;
  ~runtime_error() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
