// Text output: errors, log messages, printed values.
#include <popart/error.hpp>
#include <popart/logging.hpp>
#include <popart/op.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/opserialiser.hpp>
#include <popart/scope.hpp>
#include <popart/util.hpp>
#include <poplar/exceptions.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>

#include "popart/log_sink.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>

namespace popir {
namespace {

/// The levels that the program has set.
std::map<popart::logging::Module, popart::logging::Level>& levels() {
  static std::map<popart::logging::Module, popart::logging::Level> chosen;
  return chosen;
}

LogSink& sink() {
  static LogSink installed{};
  return installed;
}

}  // namespace

void installLogSink(const LogSink& installed) {
  sink() = installed;
  for (const auto& each : levels()) sink().setLevel(each.first, each.second);
}

}  // namespace popir

namespace popart {

error::~error() = default;

error::Stack::Stack() : count(backtrace(calls, sizeof calls / sizeof calls[0])) {}

const std::string& error::stackreport() const {
  Stack& stack = stack_;
  if (!stack.report.empty()) return stack.report;
  std::ostringstream os;
  for (int i = 1; i < stack.count; ++i) {  // without the constructor's own
    os << "[" << i - 1 << "] ";
    Dl_info info;
    if (dladdr(stack.calls[i], &info) != 0 && info.dli_sname != nullptr) {
      int status = 0;
      char* plain = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
      os << (status == 0 ? plain : info.dli_sname);
      std::free(plain);
    } else {
      os << stack.calls[i];
    }
    os << "\n";
  }
  stack.report = os.str();
  return stack.report;
}
internal_error::~internal_error() = default;
memory_allocation_err::~memory_allocation_err() = default;
std::string memory_allocation_err::getGraphReport(bool) const { return getSummaryReport(); }

ErrorSource getErrorSource(const std::exception& e) {
  if (dynamic_cast<const internal_error*>(&e) != nullptr) return ErrorSource::popart_internal;
  if (dynamic_cast<const error*>(&e) != nullptr) return ErrorSource::popart;
  if (dynamic_cast<const poputil::poplibs_error*>(&e) != nullptr) return ErrorSource::poplibs;
  if (dynamic_cast<const poplar::poplar_error*>(&e) != nullptr) return ErrorSource::poplar;
  return ErrorSource::unknown;
}
runtime_error::~runtime_error() = default;

namespace logging {

bool shouldLog(Module module, Level level) {
  const popir::LogSink& sink = popir::sink();
  return sink.wants != nullptr ? sink.wants(module, level) : level >= getLogLevel(module);
}

Level getLogLevel(Module module) {
  const popir::LogSink& sink = popir::sink();
  if (sink.level != nullptr) return sink.level(module);
  const auto chosen = popir::levels().find(module);
  return chosen == popir::levels().end() ? Level::Warn : chosen->second;
}

void setLogLevel(Module module, Level level) {
  popir::levels()[module] = level;
  const popir::LogSink& sink = popir::sink();
  if (sink.setLevel != nullptr) sink.setLevel(module, level);
}

void log(Module module, Level level, const std::string& message) {
  const popir::LogSink& sink = popir::sink();
  if (sink.write != nullptr)
    sink.write(module, level, message);
  else
    std::cerr << "popir: " << message << std::endl;
}

void flush(Module) {
  std::clog.flush();
  std::cerr.flush();
}

namespace internal {

std::string substitute(const std::string& format, const std::vector<std::string>& arguments) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    if ((c == '{' || c == '}') && i + 1 < format.size() && format[i + 1] == c) {
      out += c;
      ++i;
      continue;
    }
    const std::size_t end = c == '{' ? format.find('}', i) : std::string::npos;
    if (end == std::string::npos || next == arguments.size()) {
      out += c;
      continue;
    }
    out += arguments[next++];
    i = end;
  }
  return out;
}

std::string formatted(const std::string& format, const std::vector<std::string>& arguments) {
  std::size_t asked = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    if (c != '{' && c != '}') continue;
    if (i + 1 < format.size() && format[i + 1] == c) {
      ++i;
    } else if (c == '{' && format.find('}', i) != std::string::npos) {
      ++asked;
    }
  }
  if (asked > arguments.size())
    throw FormatError("'" + format + "' has " + std::to_string(asked) + " places for " +
                      std::to_string(arguments.size()) + " arguments");
  return substitute(format, arguments);
}

}  // namespace internal

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) out.append(c == '{' || c == '}' ? 2 : 1, c);
  return out;
}

}  // namespace logging

std::ostream& operator<<(std::ostream& os, const OperatorIdentifier& opid) {
  return os << opid.domain << "." << opid.type << ":" << opid.version;
}

std::string Scope::str() const { return logging::join(names_.begin(), names_.end(), delimiter()); }

Scope Scope::operator/(const std::string& name) const {
  Scope inner = *this;
  inner.names_.push_back(name);
  return inner;
}

void Scope::pop() {
  if (empty()) throw error("Scope::pop: the outermost scope has no name to remove");
  names_.pop_back();
}

Scope Scope::getCommonParent(const Scope& other) const {
  Scope parent = *this;
  while (!other.isSubscope(parent)) parent.names_.pop_back();
  return parent;
}

Scope Scope::getCommonParent(const std::vector<Op*>& ops) {
  if (ops.empty()) return {};
  Scope parent = ops.front()->getScope();
  for (const Op* op : ops) parent = parent.getCommonParent(op->getScope());
  return parent;
}

bool Scope::isSubscope(const Scope& other) const {
  return depth() >= other.depth() &&
         std::equal(other.names_.begin(), other.names_.end(), names_.begin());
}

std::ostream& operator<<(std::ostream& os, const Scope& scope) { return os << scope.str(); }

int64_t getReduceAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    throw error("The axis {} is outside of [{}, {})", axis, -rank, rank);
  return axis < 0 ? axis + rank : axis;
}

void validateReduceAxis(int64_t axis, int64_t rank, const std::string& who) {
  if (axis < -rank || axis >= rank)
    throw error("{}: the axis {} is outside of [{}, {})", who, axis, -rank, rank);
}

void validateReduceAxes(const std::vector<int64_t>& axes, int64_t rank, const std::string& who) {
  for (const int64_t axis : axes) validateReduceAxis(axis, rank, who);
}

void normalizeReduceAxes(std::vector<int64_t>& axes, int64_t rank) {
  for (int64_t& axis : axes) axis = getReduceAxis(axis, rank);
}

OpSerialiserBase::~OpSerialiserBase() = default;

namespace {

template <typename T>
std::string exact(const T& value) {
  std::ostringstream os;
  os.precision(std::numeric_limits<T>::max_digits10);
  logging::internal::write(os, value);
  return os.str();
}

template <typename T>
std::string exact(const std::vector<T>& values) {
  std::ostringstream os;
  os.precision(std::numeric_limits<T>::max_digits10);
  logging::internal::write(os, values);
  return os.str();
}

}  // namespace

#define POPIR_APPEND(TYPE)                                                      \
  void OpSerialiserBase::appendAttribute(const std::string& name, TYPE value) { \
    appendStrAttr(name, exact(value));                                          \
  }
POPIR_APPEND(float)
POPIR_APPEND(double)
POPIR_APPEND(int)
POPIR_APPEND(int64_t)
POPIR_APPEND(uint32_t)
POPIR_APPEND(uint64_t)
POPIR_APPEND(bool)
POPIR_APPEND(const std::vector<float>&)
POPIR_APPEND(const std::vector<double>&)
POPIR_APPEND(const std::vector<int64_t>&)
#undef POPIR_APPEND

void OpSerialiserBase::appendAttribute(const std::string& name, const std::string& value) {
  appendStrAttr(name, value);
}
void OpSerialiserBase::appendAttribute(const std::string& name, const char* value) {
  appendStrAttr(name, value);
}
void OpSerialiserBase::appendAttribute(const std::string& name, nonstd::optional<int64_t> value) {
  appendStrAttr(name, value ? std::to_string(*value) : "");
}
void OpSerialiserBase::appendAttribute(const std::string& name, nonstd::optional<float> value) {
  if (value)
    appendAttribute(name, *value);
  else
    appendStrAttr(name, "");
}
void OpSerialiserBase::appendAttribute(const std::string& name, nonstd::optional<double> value) {
  if (value)
    appendAttribute(name, *value);
  else
    appendStrAttr(name, "");
}
void OpSerialiserBase::appendAttribute(const std::string& name,
                                       const std::map<TensorId, uint64_t> value) {
  std::string text;
  for (const auto& entry : value)
    text += (text.empty() ? "" : ", ") + entry.first + ": " + std::to_string(entry.second);
  appendStrAttr(name, "{" + text + "}");
}
void OpSerialiserBase::appendForwardOp(const Op* op) {
  appendStrAttr("forwardOp", logging::internal::text(op->opid));
}
void OpSerialiserBase::appendAttribute(const std::string& name, const Scope& value) {
  appendStrAttr(name, value.str());
}

std::vector<std::string> splitString(const std::string& text, const std::string& delimiter) {
  if (delimiter.empty())
    throw error("splitString: a delimiter was expected; given was an empty text");
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(delimiter, begin)) != std::string::npos;
       begin = end + delimiter.size())
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

}  // namespace popart
