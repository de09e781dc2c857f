// Exceptions. In Python they appear as popart_exception and derived classes.
// After popart/error.hpp of PopART 3.
#ifndef popart_error_hpp
#define popart_error_hpp

#include <popart/erroruid.hpp>
#include <popart/logging.hpp>

#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// An invalid model, operator or call. The message is formatted as by logging::format: error("{}
/// has {} inputs", name, n). Where arguments are missing, "{}" remains.
class error : public std::runtime_error {
 public:
  explicit error(const char* s) : std::runtime_error(s) {}
  explicit error(const std::string& s) : std::runtime_error(s) {}
  template <typename First, typename... Args>
  explicit error(const char* s, const First& first, const Args&... args)
      : std::runtime_error(text(s, first, args...)) {}
  template <typename First, typename... Args>
  explicit error(const std::string& s, const First& first, const Args&... args)
      : std::runtime_error(text(s, first, args...)) {}
  template <typename... Args>
  explicit error(ErrorUid uid, const char* s, const Args&... args)
      : std::runtime_error(text(s, args...)), uid_(uid) {}
  template <typename... Args>
  explicit error(ErrorUid uid, const std::string& s, const Args&... args)
      : std::runtime_error(text(s, args...)), uid_(uid) {}
  error(const error&) = default;
  ~error() override;

  /// E0 where none was given.
  ErrorUid uid() const { return uid_; }

 private:
  template <typename... Args>
  static std::string text(const std::string& s, const Args&... args) {
    return logging::internal::substitute(s, {logging::internal::text(args)...});
  }

  ErrorUid uid_ = ErrorUid::E0;
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
