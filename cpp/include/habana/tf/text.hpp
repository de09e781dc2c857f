// Integers, strings and small containers as TensorFlow and Abseil name them.
#ifndef popir_habana_tf_text_hpp
#define popir_habana_tf_text_hpp

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)

namespace tensorflow {

typedef std::int8_t int8;
typedef std::int16_t int16;
typedef std::int32_t int32;
typedef std::int64_t int64;
typedef std::uint8_t uint8;
typedef std::uint16_t uint16;
typedef std::uint32_t uint32;
typedef std::uint64_t uint64;
typedef std::string tstring;
typedef std::string_view StringPiece;
using std::string;

static const int32 kint32max = std::numeric_limits<int32>::max();
static const int32 kint32min = std::numeric_limits<int32>::min();
static const int64 kint64max = std::numeric_limits<int64>::max();
static const int64 kint64min = std::numeric_limits<int64>::min();

}  // namespace tensorflow

namespace absl {

using std::make_unique;
using std::nullopt;
using std::optional;
using std::string_view;
using std::variant;
template <class K, class V>
using flat_hash_map = std::unordered_map<K, V>;
template <class K>
using flat_hash_set = std::unordered_set<K>;
template <class K, class V>
using node_hash_map = std::unordered_map<K, V>;
template <class K, class V>
using btree_map = std::map<K, V>;
template <class K>
using btree_set = std::set<K>;
template <class T, std::size_t N>
using InlinedVector = std::vector<T>;

/// A view of elements that lie one after another.
template <class T>
class Span {
 public:
  typedef std::remove_cv_t<T> value_type;
  typedef T* iterator;
  static constexpr std::size_t npos = ~std::size_t{0};

  Span() = default;
  Span(T* data, std::size_t size) : data_(data), size_(size) {}
  template <std::size_t N>
  Span(T (&array)[N]) : data_(array), size_(N) {}
  /// Of a container; of one that is const only if T is.
  template <class C, class = decltype(static_cast<T*>(std::declval<C&>().data())),
            class = decltype(std::declval<C&>().size())>
  Span(C&& of) : data_(of.data()), size_(static_cast<std::size_t>(of.size())) {}
  // Of a list in a call: it lives as long as the call.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
  template <class U = T, class = std::enable_if_t<std::is_const<U>::value>>
  Span(std::initializer_list<value_type> of) : data_(of.begin()), size_(of.size()) {}
#pragma GCC diagnostic pop

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t length() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) const { return data_[i]; }
  T& at(std::size_t i) const {
    if (i >= size_) throw std::out_of_range("a span is read behind its end");
    return data_[i];
  }
  T& front() const { return at(0); }
  T& back() const { return at(size_ - 1); }
  Span subspan(std::size_t from, std::size_t length = npos) const {
    if (from > size_) throw std::out_of_range("a part of a span begins behind its end");
    return Span(data_ + from, length < size_ - from ? length : size_ - from);
  }
  Span first(std::size_t n) const { return subspan(0, n); }
  Span last(std::size_t n) const { return subspan(size_ - n, n); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};
template <class C>
auto MakeSpan(C& of) {
  return Span<std::remove_pointer_t<decltype(of.data())>>(of.data(), of.size());
}
template <class C>
auto MakeConstSpan(const C& of) {
  return Span<std::remove_pointer_t<decltype(of.data())>>(of.data(), of.size());
}

/// The texts of the parts, one after another; numbers of a byte are numbers.
template <class... Parts>
std::string StrCat(const Parts&... parts) {
  std::ostringstream text;
  const auto put = [&text](const auto& part) {
    using Part = std::decay_t<decltype(part)>;
    if constexpr (std::is_same<Part, signed char>::value ||
                  std::is_same<Part, unsigned char>::value)
      text << static_cast<int>(part);
    else
      text << part;
  };
  (put(parts), ...);
  return text.str();
}
template <class... Parts>
void StrAppend(std::string* to, const Parts&... parts) {
  *to += StrCat(parts...);
}
template <class Range, class Format>
std::string StrJoin(const Range& range, string_view between, const Format& format) {
  std::string text;
  bool first = true;
  for (const auto& each : range) {
    if (!first) text += between;
    first = false;
    format(&text, each);
  }
  return text;
}
template <class Range>
std::string StrJoin(const Range& range, string_view between) {
  return StrJoin(range, between, [](std::string* to, const auto& each) { StrAppend(to, each); });
}

/// The parts of a text. It becomes whatever container of strings is asked for.
class Split {
 public:
  explicit Split(std::vector<string_view> parts) : parts_(std::move(parts)) {}
  auto begin() const { return parts_.begin(); }
  auto end() const { return parts_.end(); }
  template <class C, class = typename C::value_type>
  operator C() const {
    C found;
    for (auto part : parts_) found.insert(found.end(), typename C::value_type(part));
    return found;
  }

 private:
  std::vector<string_view> parts_;
};
struct AllowEmpty {
  bool operator()(string_view) const { return true; }
};
struct SkipEmpty {
  bool operator()(string_view part) const { return !part.empty(); }
};
template <class Keep = AllowEmpty>
Split StrSplit(string_view text, string_view at, const Keep& keep = {}) {
  std::vector<string_view> parts;
  for (std::size_t from = 0;;) {
    const auto end = text.find(at, from);
    const auto part = text.substr(from, end == string_view::npos ? end : end - from);
    if (keep(part)) parts.push_back(part);
    if (end == string_view::npos || at.empty()) break;
    from = end + at.size();
  }
  return Split(parts);
}
template <class Keep = AllowEmpty>
Split StrSplit(string_view text, char at, const Keep& keep = {}) {
  return StrSplit(text, string_view(&at, 1), keep);
}

inline bool StartsWith(string_view text, string_view with) {
  return text.substr(0, with.size()) == with;
}
inline bool EndsWith(string_view text, string_view with) {
  return text.size() >= with.size() && text.substr(text.size() - with.size()) == with;
}
inline bool StrContains(string_view text, string_view what) {
  return text.find(what) != string_view::npos;
}
inline bool StrContains(string_view text, char what) {
  return text.find(what) != string_view::npos;
}
inline bool ConsumePrefix(string_view* text, string_view with) {
  if (!StartsWith(*text, with)) return false;
  text->remove_prefix(with.size());
  return true;
}
inline bool ConsumeSuffix(string_view* text, string_view with) {
  if (!EndsWith(*text, with)) return false;
  text->remove_suffix(with.size());
  return true;
}
inline string_view StripPrefix(string_view text, string_view with) {
  ConsumePrefix(&text, with);
  return text;
}
inline string_view StripSuffix(string_view text, string_view with) {
  ConsumeSuffix(&text, with);
  return text;
}
/// Letters of ASCII alone are changed.
std::string AsciiStrToLower(string_view text);
std::string AsciiStrToUpper(string_view text);
string_view StripAsciiWhitespace(string_view text);
std::string StrReplaceAll(string_view text,
                          std::initializer_list<std::pair<string_view, string_view>> changes);
/// They return whether the whole text is such a number.
bool SimpleAtoi(string_view text, std::int32_t* value);
bool SimpleAtoi(string_view text, std::int64_t* value);
bool SimpleAtof(string_view text, float* value);
bool SimpleAtod(string_view text, double* value);
bool SimpleAtob(string_view text, bool* value);

/// One conversion of a format, such as "%5.2f", applied to a value.
template <class T>
std::string formatted(std::string spec, const T& value) {
  char letter = spec.back();
  if (letter == 'v' || std::is_same<T, bool>::value) letter = 0;
  spec.pop_back();
  while (!spec.empty() && std::strchr("hlLqjzt", spec.back())) spec.pop_back();
  if constexpr (std::is_arithmetic<T>::value) {
    const bool real = std::is_floating_point<T>::value;
    if (letter == 0 || letter == 's') return StrCat(value);
    char text[512];
    if (letter == 'c')
      std::snprintf(text, sizeof(text), (spec + letter).c_str(), static_cast<int>(value));
    else if (std::strchr("eEfFgGaA", letter))
      std::snprintf(text, sizeof(text), (spec + letter).c_str(), static_cast<double>(value));
    else if (real)
      std::snprintf(text, sizeof(text), (spec + 'g').c_str(), static_cast<double>(value));
    else
      std::snprintf(text, sizeof(text), (spec + "ll" + letter).c_str(),
                    static_cast<long long>(value));
    return text;
  } else {
    const std::string text = StrCat(value);
    char padded[1024];
    std::snprintf(padded, sizeof(padded), (spec + 's').c_str(), text.c_str());
    return text.size() < sizeof(padded) / 2 ? padded : text;
  }
}
/// Puts the parts into the places of a format that `formatted` understands.
std::string placed(string_view format,
                   const std::vector<std::function<std::string(std::string)>>& parts);
template <class... Parts>
std::string StrFormat(string_view format, const Parts&... parts) {
  return placed(format, {[&](std::string spec) { return formatted(std::move(spec), parts); }...});
}
template <class... Parts>
void StrAppendFormat(std::string* to, string_view format, const Parts&... parts) {
  *to += StrFormat(format, parts...);
}

template <class T>
std::unique_ptr<T> WrapUnique(T* owned) {
  return std::unique_ptr<T>(owned);
}

}  // namespace absl

namespace tensorflow {

namespace gtl {
template <class T>
using ArraySlice = absl::Span<const T>;
template <class T>
using MutableArraySlice = absl::Span<T>;
template <class T, int N>
using InlinedVector = std::vector<T>;
template <class K, class V>
using FlatMap = std::unordered_map<K, V>;
template <class K>
using FlatSet = std::unordered_set<K>;
}  // namespace gtl

namespace strings {
using absl::StrAppend;
using absl::StrCat;
std::string Printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
void Appendf(std::string* to, const char* format, ...) __attribute__((format(printf, 2, 3)));
inline bool safe_strto32(StringPiece text, int32* value) { return absl::SimpleAtoi(text, value); }
inline bool safe_strto64(StringPiece text, int64* value) { return absl::SimpleAtoi(text, value); }
inline bool safe_strtof(StringPiece text, float* value) { return absl::SimpleAtof(text, value); }
inline bool safe_strtod(StringPiece text, double* value) { return absl::SimpleAtod(text, value); }
}  // namespace strings

namespace str_util {
using absl::ConsumePrefix;
using absl::ConsumeSuffix;
using absl::EndsWith;
using absl::StartsWith;
using absl::StrContains;
inline std::string Lowercase(StringPiece text) { return absl::AsciiStrToLower(text); }
inline std::string Uppercase(StringPiece text) { return absl::AsciiStrToUpper(text); }
/// The parts between any of the characters.
std::vector<std::string> Split(StringPiece text, StringPiece characters);
inline std::vector<std::string> Split(StringPiece text, char at) {
  return Split(text, StringPiece(&at, 1));
}
template <class Range>
std::string Join(const Range& range, StringPiece between) {
  return absl::StrJoin(range, between);
}
}  // namespace str_util

}  // namespace tensorflow

#pragma GCC visibility pop

#endif
