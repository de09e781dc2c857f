// Errors of the builder: a part of absl's Status and StatusOr, under XLA's names.
#ifndef XLA_STATUS_H_
#define XLA_STATUS_H_

#include <stdexcept>
#include <string>
#include <utility>

namespace xla {

class Status {
 public:
  Status() = default;
  static Status OK() { return {}; }
  static Status InvalidArgument(std::string message) {
    Status status;
    status.message_ = "INVALID_ARGUMENT: " + std::move(message);
    return status;
  }

  bool ok() const { return message_.empty(); }
  /// Without its code.
  std::string message() const {
    const auto colon = message_.find(": ");
    return colon == std::string::npos ? "" : message_.substr(colon + 2);
  }
  std::string ToString() const { return ok() ? "OK" : message_; }
  const std::string& error_message() const { return message_; }

 private:
  std::string message_;
};

/// A value, or the error in its place. Asking for a value that is not there throws
/// std::runtime_error with the error's text.
template <class T>
class StatusOr {
 public:
  StatusOr(T value) : value_(std::move(value)) {}
  StatusOr(Status status) : status_(std::move(status)) {}

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  const T& value() const& { return checked(); }
  T& value() & {
    checked();
    return value_;
  }
  T&& value() && {
    checked();
    return std::move(value_);
  }
  const T& ValueOrDie() const { return checked(); }
  T ConsumeValueOrDie() { return checked(); }
  const T& operator*() const { return checked(); }
  const T* operator->() const { return &checked(); }

 private:
  const T& checked() const {
    if (!ok()) throw std::runtime_error(status_.ToString());
    return value_;
  }
  Status status_;
  T value_{};
};

}  // namespace xla

#endif  // XLA_STATUS_H_
