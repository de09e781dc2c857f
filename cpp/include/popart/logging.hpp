// Logging, and the formatting of log and error messages. After popart/logging.hpp of PopART 3.
//
// The program that uses the library decides where messages go. With Python they go to the loggers
// "popir.<module>"; otherwise warnings and errors go to stderr.
#ifndef popart_logging_hpp
#define popart_logging_hpp

#include <cstddef>
#include <iterator>
#include <map>
#include <ostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace logging {

enum class Level { Trace = 0, Debug, Info, Warn, Err, Critical, Off };
enum class Module {
  popart,
  session,
  ir,
  devicex,
  transform,
  pattern,
  builder,
  op,
  opx,
  ces,
  python,
  none
};

bool shouldLog(Module module, Level level);
/// The level from which on messages of a module are written.
Level getLogLevel(Module module);
void setLogLevel(Module module, Level level);
void log(Module module, Level level, const std::string& message);
/// Writes out what a module has logged and the standard streams still keep.
void flush(Module module);

/// What is wrong with the text that is to be formatted.
class FormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The text with its braces doubled, so that format() gives it back.
std::string escape(const std::string& text);

namespace internal {

template <typename T>
void write(std::ostream& os, const T& value) {
  os << value;
}
inline void write(std::ostream& os, bool value) { os << (value ? "true" : "false"); }

template <typename It>
void writeAll(std::ostream& os, It begin, It end) {
  os << "[";
  for (It it = begin; it != end; ++it) {
    if (it != begin) os << ", ";
    os << *it;
  }
  os << "]";
}
template <typename T>
void write(std::ostream& os, const std::vector<T>& values) {
  writeAll(os, values.begin(), values.end());
}
template <typename T>
void write(std::ostream& os, const std::set<T>& values) {
  writeAll(os, values.begin(), values.end());
}

template <typename T>
std::string text(const T& value) {
  std::ostringstream os;
  write(os, value);
  return os.str();
}

/// Replaces the k-th "{}" of `format` by arguments[k]. "{{" and "}}" give braces. Text inside of
/// the braces is ignored. If arguments are missing, "{}" remains.
std::string substitute(const std::string& format, const std::vector<std::string>& arguments);
/// The same. \throws FormatError if arguments are missing
std::string formatted(const std::string& format, const std::vector<std::string>& arguments);

}  // namespace internal

/// Formatting as by fmt: each "{}" is replaced by the next argument, written with operator<<.
/// Vectors and sets are written as "[1, 2]".
/// \throws FormatError if arguments are missing
template <typename... Args>
std::string format(const std::string& s, const Args&... args) {
  return internal::formatted(s, {internal::text(args)...});
}

/// Writes the elements with `separator` between them.
template <typename It>
std::string join(It begin, It end, std::string separator) {
  std::ostringstream os;
  for (It it = begin; it != end; ++it) {
    if (it != begin) os << separator;
    os << *it;
  }
  return os.str();
}

#define POPART_LOG_AT(FUNCTION, MODULE, LEVEL)               \
  template <typename... Args>                                \
  void FUNCTION(const std::string& s, const Args&... args) { \
    if (shouldLog(Module::MODULE, Level::LEVEL))             \
      log(Module::MODULE, Level::LEVEL, format(s, args...)); \
  }
#define POPART_LOG_MODULE(MODULE)     \
  POPART_LOG_AT(trace, MODULE, Trace) \
  POPART_LOG_AT(debug, MODULE, Debug) \
  POPART_LOG_AT(info, MODULE, Info)   \
  POPART_LOG_AT(warn, MODULE, Warn)   \
  POPART_LOG_AT(err, MODULE, Err)     \
  POPART_LOG_AT(crit, MODULE, Critical)

POPART_LOG_MODULE(popart)
#define POPART_LOG_NAMESPACE(MODULE) \
  namespace MODULE {                 \
  POPART_LOG_MODULE(MODULE)          \
  }
POPART_LOG_NAMESPACE(session)
POPART_LOG_NAMESPACE(ir)
POPART_LOG_NAMESPACE(devicex)
POPART_LOG_NAMESPACE(transform)
POPART_LOG_NAMESPACE(pattern)
POPART_LOG_NAMESPACE(builder)
POPART_LOG_NAMESPACE(op)
POPART_LOG_NAMESPACE(opx)
POPART_LOG_NAMESPACE(ces)
#undef POPART_LOG_NAMESPACE
#undef POPART_LOG_MODULE
#undef POPART_LOG_AT

}  // namespace logging
}  // namespace popart

#pragma GCC visibility pop

#endif
