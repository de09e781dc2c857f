// LOG, VLOG and CHECK, with TensorFlow's names and environment variables. What ends the process there
// (a check that fails, LOG(FATAL)) is an exception here, which becomes an error of the operator.
#ifndef popir_habana_tf_logging_hpp
#define popir_habana_tf_logging_hpp

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#include "status.hpp"

#pragma GCC visibility push(default)

namespace tensorflow {

const int INFO = 0;
const int WARNING = 1;
const int ERROR = 2;
const int FATAL = 3;
const int NUM_SEVERITIES = 4;

namespace internal {

/// Writes a line to standard error unless TF_CPP_MIN_LOG_LEVEL is above its severity.
void logLine(int severity, const char* file, int line, const std::string& text) noexcept;
/// Whether TF_CPP_MAX_VLOG_LEVEL is that high.
bool isVerbose(int level);

/// A line of the log, written at its end.
class LogMessage {
 public:
  LogMessage(const char* file, int line, int severity)
      : file_(file), line_(line), severity_(severity) {}
  ~LogMessage() { logLine(severity_, file_, line_, text_.str()); }
  std::ostream& stream() { return text_; }

 private:
  const char* file_;
  int line_, severity_;
  std::ostringstream text_;
};
/// The text of an error.
class LogMessageFatal {
 public:
  LogMessageFatal(const char* file, int line, const char* begin = "") : file_(file), line_(line) {
    text_ << begin;
  }
  [[noreturn]] ~LogMessageFatal() noexcept(false) {
    throw std::runtime_error(strings::StrCat(file_, ":", line_, ": ", text_.str()));
  }
  std::ostream& stream() { return text_; }

 private:
  const char* file_;
  int line_;
  std::ostringstream text_;
};
struct Voidify {
  void operator&(std::ostream&) const {}
};

template <class T, class = void>
struct Shown {
  static void put(std::ostream& to, const T&) { to << "a value"; }
};
template <class T>
struct Shown<T, std::void_t<decltype(std::declval<std::ostream&>() << std::declval<const T&>())>> {
  static void put(std::ostream& to, const T& value) { to << value; }
};
template <class A, class B>
std::unique_ptr<std::string> failed(const char* text, const A& a, const B& b) {
  std::ostringstream to;
  to << "Check failed: " << text << " (";
  Shown<A>::put(to, a);
  to << " vs. ";
  Shown<B>::put(to, b);
  to << ") ";
  return std::make_unique<std::string>(to.str());
}
#define POPIR_TF_COMPARISON(name, op)                                                  \
  template <class A, class B>                                                          \
  std::unique_ptr<std::string> check##name(const A& a, const B& b, const char* text) { \
    return a op b ? nullptr : failed(text, a, b);                                      \
  }
POPIR_TF_COMPARISON(EQ, ==)
POPIR_TF_COMPARISON(NE, !=)
POPIR_TF_COMPARISON(LT, <)
POPIR_TF_COMPARISON(LE, <=)
POPIR_TF_COMPARISON(GT, >)
POPIR_TF_COMPARISON(GE, >=)
#undef POPIR_TF_COMPARISON
template <class T>
T&& checkedNotNull(const char* file, int line, const char* text, T&& pointer) {
  if (pointer == nullptr) LogMessageFatal(file, line).stream() << text << " is null";
  return std::forward<T>(pointer);
}

/// Counts the passes of a place in the source.
inline bool everyN(std::atomic<std::int64_t>& count, std::int64_t n) { return count++ % n == 0; }
inline bool firstN(std::atomic<std::int64_t>& count, std::int64_t n) { return count++ < n; }
inline bool everyPowerOf2(std::atomic<std::int64_t>& count) {
  const std::int64_t n = ++count;
  return (n & (n - 1)) == 0;
}

}  // namespace internal

// Locks.

enum LinkerInitialized { LINKER_INITIALIZED };
class mutex : public std::shared_mutex {
 public:
  mutex() = default;
  explicit mutex(LinkerInitialized) {}
};
class mutex_lock : public std::unique_lock<tensorflow::mutex> {
 public:
  explicit mutex_lock(tensorflow::mutex& of) : std::unique_lock<tensorflow::mutex>(of) {}
};
class tf_shared_lock : public std::shared_lock<tensorflow::mutex> {
 public:
  explicit tf_shared_lock(tensorflow::mutex& of) : std::shared_lock<tensorflow::mutex>(of) {}
};
class condition_variable : public std::condition_variable_any {};

/// Values of environment variables, or the default.
/// \returns an error for a value of another kind
Status ReadBoolFromEnvVar(StringPiece name, bool otherwise, bool* value);
Status ReadInt64FromEnvVar(StringPiece name, int64 otherwise, int64* value);
Status ReadFloatFromEnvVar(StringPiece name, float otherwise, float* value);
Status ReadStringFromEnvVar(StringPiece name, StringPiece otherwise, std::string* value);

}  // namespace tensorflow

#define POPIR_TF_LOG(severity) ::tensorflow::internal::LogMessage(__FILE__, __LINE__, severity)
#define POPIR_TF_LOG_INFO POPIR_TF_LOG(::tensorflow::INFO)
#define POPIR_TF_LOG_WARNING POPIR_TF_LOG(::tensorflow::WARNING)
#define POPIR_TF_LOG_ERROR POPIR_TF_LOG(::tensorflow::ERROR)
#define POPIR_TF_LOG_FATAL ::tensorflow::internal::LogMessageFatal(__FILE__, __LINE__)
#define POPIR_TF_LOG_QFATAL POPIR_TF_LOG_FATAL

#define POPIR_TF_WHERE(condition, message) \
  (condition) ? (void)0 : ::tensorflow::internal::Voidify() & message.stream()
#define POPIR_TF_COUNTED(severity, condition)  \
  POPIR_TF_WHERE(!([] {                        \
    static std::atomic<std::int64_t> count{0}; \
    return ::tensorflow::internal::condition;  \
  }()),                                        \
                 POPIR_TF_LOG_##severity)

#define LOG(severity) POPIR_TF_LOG_##severity.stream()
#define LOG_IF(severity, condition) POPIR_TF_WHERE(!(condition), POPIR_TF_LOG_##severity)
#define LOG_EVERY_N(severity, n) POPIR_TF_COUNTED(severity, everyN(count, n))
#define LOG_FIRST_N(severity, n) POPIR_TF_COUNTED(severity, firstN(count, n))
#define LOG_EVERY_POW_2(severity) POPIR_TF_COUNTED(severity, everyPowerOf2(count))
#define VLOG_IS_ON(level) (::tensorflow::internal::isVerbose(level))
#define VLOG(level) POPIR_TF_WHERE(!VLOG_IS_ON(level), POPIR_TF_LOG_INFO)
#define DVLOG(level) VLOG(level)

#define CHECK(condition) POPIR_TF_WHERE(TF_PREDICT_TRUE(condition), POPIR_TF_FAILED(#condition))
#define POPIR_TF_FAILED(text) \
  ::tensorflow::internal::LogMessageFatal(__FILE__, __LINE__, "Check failed: " text " ")
#define POPIR_TF_CHECK(name, op, a, b)                                                          \
  while (const auto popir_check = ::tensorflow::internal::check##name(a, b, #a " " #op " " #b)) \
  ::tensorflow::internal::LogMessageFatal(__FILE__, __LINE__).stream() << *popir_check
#define CHECK_EQ(a, b) POPIR_TF_CHECK(EQ, ==, a, b)
#define CHECK_NE(a, b) POPIR_TF_CHECK(NE, !=, a, b)
#define CHECK_LT(a, b) POPIR_TF_CHECK(LT, <, a, b)
#define CHECK_LE(a, b) POPIR_TF_CHECK(LE, <=, a, b)
#define CHECK_GT(a, b) POPIR_TF_CHECK(GT, >, a, b)
#define CHECK_GE(a, b) POPIR_TF_CHECK(GE, >=, a, b)
#define CHECK_NOTNULL(pointer) \
  ::tensorflow::internal::checkedNotNull(__FILE__, __LINE__, #pointer, (pointer))
#define QCHECK(condition) CHECK(condition)
#define QCHECK_EQ(a, b) CHECK_EQ(a, b)
#define QCHECK_NE(a, b) CHECK_NE(a, b)
#define QCHECK_LT(a, b) CHECK_LT(a, b)
#define QCHECK_LE(a, b) CHECK_LE(a, b)
#define QCHECK_GT(a, b) CHECK_GT(a, b)
#define QCHECK_GE(a, b) CHECK_GE(a, b)
#define DCHECK(condition) CHECK(condition)
#define DCHECK_EQ(a, b) CHECK_EQ(a, b)
#define DCHECK_NE(a, b) CHECK_NE(a, b)
#define DCHECK_LT(a, b) CHECK_LT(a, b)
#define DCHECK_LE(a, b) CHECK_LE(a, b)
#define DCHECK_GT(a, b) CHECK_GT(a, b)
#define DCHECK_GE(a, b) CHECK_GE(a, b)

#pragma GCC visibility pop

#endif
