// Strings, logs and environment variables of TensorFlow's names.
#include <habana/tf/logging.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdarg>

namespace absl {
namespace {

std::string changed(string_view text, char from, char to) {
  std::string found(text);
  for (char& each : found)
    if (each >= from && each <= from + 25) each = static_cast<char>(each - from + to);
  return found;
}

/// A number that is the whole of a text besides the space around it.
template <class T, class Parse>
bool whole(string_view text, T* value, const Parse& parse) {
  const std::string plain(StripAsciiWhitespace(text));
  if (plain.empty()) return false;
  char* end = nullptr;
  errno = 0;
  const auto found = parse(plain.c_str(), &end);
  if (errno != 0 || *end != '\0') return false;
  *value = static_cast<T>(found);
  return static_cast<decltype(found)>(*value) == found || found != found;
}

}  // namespace

std::string AsciiStrToLower(string_view text) { return changed(text, 'A', 'a'); }
std::string AsciiStrToUpper(string_view text) { return changed(text, 'a', 'A'); }
string_view StripAsciiWhitespace(string_view text) {
  const auto begin = text.find_first_not_of(" \t\n\v\f\r");
  if (begin == string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n\v\f\r") - begin + 1);
}
std::string StrReplaceAll(string_view text,
                          std::initializer_list<std::pair<string_view, string_view>> changes) {
  std::string found;
  while (!text.empty()) {
    const std::pair<string_view, string_view>* best = nullptr;
    for (const auto& each : changes)
      if (!each.first.empty() && StartsWith(text, each.first) &&
          (best == nullptr || each.first.size() > best->first.size()))
        best = &each;
    found += best ? best->second : text.substr(0, 1);
    text.remove_prefix(best ? best->first.size() : 1);
  }
  return found;
}
bool SimpleAtoi(string_view text, std::int32_t* value) {
  return whole(text, value, [](const char* t, char** end) { return std::strtoll(t, end, 10); });
}
bool SimpleAtoi(string_view text, std::int64_t* value) {
  return whole(text, value, [](const char* t, char** end) { return std::strtoll(t, end, 10); });
}
bool SimpleAtof(string_view text, float* value) {
  return whole(text, value, [](const char* t, char** end) { return std::strtof(t, end); });
}
bool SimpleAtod(string_view text, double* value) {
  return whole(text, value, [](const char* t, char** end) { return std::strtod(t, end); });
}
bool SimpleAtob(string_view text, bool* value) {
  const std::string plain = AsciiStrToLower(text);
  const auto any = [&](std::initializer_list<const char*> of) {
    return std::find(of.begin(), of.end(), plain) != of.end();
  };
  const bool yes = any({"true", "t", "yes", "y", "1"});
  if (!yes && !any({"false", "f", "no", "n", "0"})) return false;
  *value = yes;
  return true;
}

std::string placed(string_view format,
                   const std::vector<std::function<std::string(std::string)>>& parts) {
  std::string text;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text += format[i];
      continue;
    }
    if (i + 1 < format.size() && format[i + 1] == '%') {
      text += '%';
      ++i;
      continue;
    }
    const auto end = format.find_first_of("diouxXeEfFgGaAcspv", i + 1);
    if (end == string_view::npos || next == parts.size())
      throw std::runtime_error("StrFormat: '" + std::string(format) + "' does not fit " +
                               std::to_string(parts.size()) + " values");
    text += parts[next++](std::string(format.substr(i, end - i + 1)));
    i = end;
  }
  return text;
}

}  // namespace absl

namespace tensorflow {

namespace strings {
namespace {
std::string printed(const char* format, va_list list) {
  va_list again;
  va_copy(again, list);
  const int size = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  std::string text(static_cast<std::size_t>(std::max(size, 0)), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, list);
  return text;
}
}  // namespace

std::string Printf(const char* format, ...) {
  va_list list;
  va_start(list, format);
  std::string text = printed(format, list);
  va_end(list);
  return text;
}
void Appendf(std::string* to, const char* format, ...) {
  va_list list;
  va_start(list, format);
  *to += printed(format, list);
  va_end(list);
}
}  // namespace strings

std::vector<std::string> str_util::Split(StringPiece text, StringPiece characters) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  for (std::size_t from = 0; from != StringPiece::npos;) {
    const auto end = text.find_first_of(characters, from);
    parts.emplace_back(text.substr(from, end == StringPiece::npos ? end : end - from));
    from = end == StringPiece::npos ? end : end + 1;
  }
  return parts;
}

namespace internal {
namespace {
int levelOf(const char* variable) {
  const char* text = std::getenv(variable);
  std::int32_t level = 0;
  return text && absl::SimpleAtoi(text, &level) ? level : 0;
}
}  // namespace

void logLine(int severity, const char* file, int line, const std::string& text) noexcept {
  static const int least = levelOf("TF_CPP_MIN_LOG_LEVEL");
  if (severity < least) return;
  const StringPiece path = file;
  const auto name = path.substr(path.find_last_of('/') + 1);
  // One call, so that lines of several threads stay whole.
  std::fprintf(stderr, "%c %.*s:%d] %s\n", "IWEF"[std::min(std::max(severity, 0), 3)],
               static_cast<int>(name.size()), name.data(), line, text.c_str());
}
bool isVerbose(int level) {
  static const int most = levelOf("TF_CPP_MAX_VLOG_LEVEL");
  return level <= most;
}
}  // namespace internal

namespace {
template <class T, class Parse>
Status fromEnvironment(StringPiece name, T otherwise, T* value, const char* kind,
                       const Parse& parse) {
  *value = otherwise;
  const char* text = std::getenv(std::string(name).c_str());
  if (text == nullptr || *text == '\0' || parse(text, value)) return OkStatus();
  *value = otherwise;
  return errors::InvalidArgument("the environment variable ", name, " is '", text,
                                 "', which is no ", kind);
}
}  // namespace

Status ReadBoolFromEnvVar(StringPiece name, bool otherwise, bool* value) {
  return fromEnvironment(name, otherwise, value, "bool", absl::SimpleAtob);
}
Status ReadInt64FromEnvVar(StringPiece name, int64 otherwise, int64* value) {
  return fromEnvironment(name, otherwise, value, "integer",
                         [](StringPiece text, int64* to) { return absl::SimpleAtoi(text, to); });
}
Status ReadFloatFromEnvVar(StringPiece name, float otherwise, float* value) {
  return fromEnvironment(name, otherwise, value, "number", absl::SimpleAtof);
}
Status ReadStringFromEnvVar(StringPiece name, StringPiece otherwise, std::string* value) {
  const char* text = std::getenv(std::string(name).c_str());
  *value = text ? text : std::string(otherwise);
  return OkStatus();
}

}  // namespace tensorflow
