// Statuses, as TensorFlow and Abseil name them.
#ifndef popir_habana_tf_status_hpp
#define popir_habana_tf_status_hpp

#include "text.hpp"

#pragma GCC visibility push(default)

/// Each error: TensorFlow's function, its code, Abseil's code.
#define POPIR_TF_ERRORS(each)                                                                     \
  each(Cancelled, CANCELLED, kCancelled) each(Unknown, UNKNOWN, kUnknown)                         \
      each(InvalidArgument, INVALID_ARGUMENT, kInvalidArgument)                                   \
          each(DeadlineExceeded, DEADLINE_EXCEEDED, kDeadlineExceeded) each(                      \
              NotFound, NOT_FOUND, kNotFound) each(AlreadyExists, ALREADY_EXISTS, kAlreadyExists) \
              each(PermissionDenied, PERMISSION_DENIED, kPermissionDenied)                        \
                  each(ResourceExhausted, RESOURCE_EXHAUSTED, kResourceExhausted)                 \
                      each(FailedPrecondition, FAILED_PRECONDITION, kFailedPrecondition) each(    \
                          Aborted, ABORTED, kAborted) each(OutOfRange, OUT_OF_RANGE, kOutOfRange) \
                          each(Unimplemented, UNIMPLEMENTED, kUnimplemented)                      \
                              each(Internal, INTERNAL, kInternal)                                 \
                                  each(Unavailable, UNAVAILABLE, kUnavailable)                    \
                                      each(DataLoss, DATA_LOSS, kDataLoss)                        \
                                          each(Unauthenticated, UNAUTHENTICATED, kUnauthenticated)

namespace tensorflow {
namespace error {
enum Code {
  OK = 0,
#define POPIR_TF_CODE(name, code, other) code,
  POPIR_TF_ERRORS(POPIR_TF_CODE)
#undef POPIR_TF_CODE
};
}  // namespace error
}  // namespace tensorflow

namespace absl {
enum class StatusCode : int {
  kOk = 0,
#define POPIR_TF_CODE(name, code, other) other = ::tensorflow::error::code,
  POPIR_TF_ERRORS(POPIR_TF_CODE)
#undef POPIR_TF_CODE
};
inline bool operator==(::tensorflow::error::Code a, StatusCode b) {
  return static_cast<int>(a) == static_cast<int>(b);
}
inline bool operator==(StatusCode a, ::tensorflow::error::Code b) { return b == a; }
inline bool operator!=(::tensorflow::error::Code a, StatusCode b) { return !(a == b); }
inline bool operator!=(StatusCode a, ::tensorflow::error::Code b) { return !(b == a); }
}  // namespace absl

namespace tensorflow {

/// The name of a code, such as "Invalid argument".
const char* codeName(error::Code code);

class Status {
 public:
  Status() = default;
  Status(error::Code code, StringPiece message) : code_(code), message_(message) {}
  Status(absl::StatusCode code, StringPiece message)
      : Status(static_cast<error::Code>(code), message) {}
  static Status OK() { return Status(); }

  bool ok() const { return code_ == error::OK; }
  error::Code code() const { return code_; }
  int raw_code() const { return code_; }
  const std::string& error_message() const { return message_; }
  StringPiece message() const { return message_; }
  std::string ToString() const {
    return ok() ? std::string("OK") : std::string(codeName(code_)) + ": " + message_;
  }
  void Update(const Status& other) {
    if (ok()) *this = other;
  }
  void IgnoreError() const {}
  bool operator==(const Status& other) const {
    return code_ == other.code_ && message_ == other.message_;
  }
  bool operator!=(const Status& other) const { return !(*this == other); }

 private:
  error::Code code_ = error::OK;
  std::string message_;
};
inline Status OkStatus() { return Status(); }
inline std::ostream& operator<<(std::ostream& to, const Status& status) {
  return to << status.ToString();
}

/// A value, or why there is none.
template <class T>
class StatusOr {
 public:
  StatusOr(const T& value) : value_(value) {}
  StatusOr(T&& value) : value_(std::move(value)) {}
  StatusOr(const Status& status) : status_(status) {
    if (status.ok()) throw std::runtime_error("a StatusOr has neither a value nor an error");
  }
  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  /// \throws std::runtime_error with the status if there is none
  T& value() & { return there(), *value_; }
  const T& value() const& { return there(), *value_; }
  T&& value() && { return there(), std::move(*value_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& ValueOrDie() & { return value(); }
  T&& ValueOrDie() && { return std::move(*this).value(); }
  T value_or(T other) const { return ok() ? *value_ : other; }

 private:
  void there() const {
    if (!ok()) throw std::runtime_error(status_.ToString());
  }
  Status status_;
  std::optional<T> value_;
};

namespace errors {
typedef error::Code Code;
#define POPIR_TF_ERROR(name, number, other)                  \
  template <class... Parts>                                  \
  Status name(const Parts&... parts) {                       \
    return Status(error::number, strings::StrCat(parts...)); \
  }                                                          \
  inline bool Is##name(const Status& status) { return status.code() == error::number; }
POPIR_TF_ERRORS(POPIR_TF_ERROR)
#undef POPIR_TF_ERROR
/// Adds a line to the message.
template <class... Parts>
void AppendToMessage(Status* status, const Parts&... parts) {
  *status = Status(status->code(),
                   strings::StrCat(status->error_message(), "\n\t", strings::StrCat(parts...)));
}
inline Status CreateWithUpdatedMessage(const Status& status, StringPiece message) {
  return Status(status.code(), message);
}
}  // namespace errors

}  // namespace tensorflow

namespace absl {
using ::tensorflow::OkStatus;
using ::tensorflow::Status;
using ::tensorflow::StatusOr;
#define POPIR_TF_ERROR(name, number, other)                                               \
  inline Status name##Error(string_view text) { return Status(StatusCode::other, text); } \
  inline bool Is##name(const Status& status) { return status.code() == StatusCode::other; }
POPIR_TF_ERRORS(POPIR_TF_ERROR)
#undef POPIR_TF_ERROR
}  // namespace absl
#undef POPIR_TF_ERRORS

/// The newer name of much of TensorFlow.
namespace tsl {
using namespace ::tensorflow;
}

#define POPIR_TF_JOIN(a, b) POPIR_TF_JOIN_(a, b)
#define POPIR_TF_JOIN_(a, b) a##b

#define TF_RETURN_IF_ERROR(...)                              \
  do {                                                       \
    const ::tensorflow::Status popir_status = (__VA_ARGS__); \
    if (!popir_status.ok()) return popir_status;             \
  } while (0)
#define TF_RETURN_WITH_CONTEXT_IF_ERROR(expression, ...)                 \
  do {                                                                   \
    ::tensorflow::Status popir_status = (expression);                    \
    if (!popir_status.ok()) {                                            \
      ::tensorflow::errors::AppendToMessage(&popir_status, __VA_ARGS__); \
      return popir_status;                                               \
    }                                                                    \
  } while (0)
#define TF_ASSIGN_OR_RETURN(to, expression) \
  POPIR_TF_ASSIGN(POPIR_TF_JOIN(popir_or_, __COUNTER__), to, expression)
#define POPIR_TF_ASSIGN(name, to, expression) \
  auto name = (expression);                   \
  if (!name.ok()) return name.status();       \
  to = std::move(name).value()
#define TF_CHECK_OK(...)                                                       \
  do {                                                                         \
    const ::tensorflow::Status popir_status = (__VA_ARGS__);                   \
    if (!popir_status.ok()) throw std::runtime_error(popir_status.ToString()); \
  } while (0)
#define TF_QCHECK_OK(...) TF_CHECK_OK(__VA_ARGS__)
#define TF_DCHECK_OK(...) TF_CHECK_OK(__VA_ARGS__)

// What compilers are told.
#define TF_DISALLOW_COPY_AND_ASSIGN(Type) \
  Type(const Type&) = delete;             \
  void operator=(const Type&) = delete
#define TF_PREDICT_FALSE(x) (__builtin_expect(!!(x), 0))
#define TF_PREDICT_TRUE(x) (__builtin_expect(!!(x), 1))
#define TF_ATTRIBUTE_NORETURN __attribute__((noreturn))
#define TF_ATTRIBUTE_ALWAYS_INLINE __attribute__((always_inline))
#define TF_ATTRIBUTE_NOINLINE __attribute__((noinline))
#define TF_ATTRIBUTE_UNUSED __attribute__((unused))
#define TF_ATTRIBUTE_COLD __attribute__((cold))
#define TF_MUST_USE_RESULT __attribute__((warn_unused_result))
#define TF_ARRAYSIZE(a) (sizeof(a) / sizeof(*(a)))
#define TF_EXPORT __attribute__((visibility("default")))
#define TF_FALLTHROUGH_INTENDED [[fallthrough]]
#define TF_GUARDED_BY(mutex)
#define TF_PT_GUARDED_BY(mutex)
#define TF_EXCLUSIVE_LOCKS_REQUIRED(...)
#define TF_SHARED_LOCKS_REQUIRED(...)
#define TF_LOCKS_EXCLUDED(...)
#define TF_NO_THREAD_SAFETY_ANALYSIS
#define TF_ANNOTATE_BENIGN_RACE(pointer, why)

#pragma GCC visibility pop

#endif
