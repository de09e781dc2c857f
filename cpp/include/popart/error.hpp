// Exceptions. In Python they appear as popart_exception and derived classes.
// After popart/error.hpp of PopART 3.
#ifndef popart_error_hpp
#define popart_error_hpp

#include <popart/erroruid.hpp>
#include <popart/logging.hpp>

#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// An invalid model, operator or call. The message is formatted as by logging::format: error("{}
/// has {} inputs", name, n). Where arguments are missing, "{}" remains.
/// An error that is given a number begins with it: "POPART10000: ".
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
      : std::runtime_error(prefix(uid) + text(s, args...)), uid_(uid) {}
  template <typename... Args>
  explicit error(ErrorUid uid, const std::string& s, const Args&... args)
      : std::runtime_error(prefix(uid) + text(s, args...)), uid_(uid) {}
  error(const error&) = default;
  ~error() override;

  /// E0 where none was given.
  ErrorUid uid() const { return uid_; }
  /// Where it was made: a line "[0] function" for each call, the innermost first. Functions that their
  /// library does not name are addresses.
  const std::string& stackreport() const;

 private:
  template <typename... Args>
  static std::string text(const std::string& s, const Args&... args) {
    return logging::internal::substitute(s, {logging::internal::text(args)...});
  }

  static std::string prefix(ErrorUid uid) {
    return "POPART" + std::to_string(static_cast<int>(uid)) + ": ";
  }

  /// The calls at the time.
  struct Stack {
    Stack();
    void* calls[32];
    int count;
    std::string report;
  };

  ErrorUid uid_ = ErrorUid::E0;
  mutable Stack stack_;
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

/// The base of what says that a model does not fit the device's memory. popir itself throws
/// poplar::memory_allocation_error; this is for programs that have such errors of their own.
class memory_allocation_err : public error {
 public:
  explicit memory_allocation_err(const std::string& info) : error("{}", info) {}
  ~memory_allocation_err() override;
  virtual std::unique_ptr<memory_allocation_err> clone() const = 0;
  virtual std::string getSummaryReport() const = 0;
  /// Of PopART 1 and 2. A class that has no report of the graph gives its summary.
  virtual std::string getGraphReport(bool useCbor) const;
  virtual std::string getProfilePath() const = 0;
};

enum class ErrorSource { popart = 0, popart_internal, poplar, poplibs, unknown };

/// Which library an exception is of.
ErrorSource getErrorSource(const std::exception& e);

}  // namespace popart

#pragma GCC visibility pop

#endif
