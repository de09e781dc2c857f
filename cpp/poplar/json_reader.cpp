#include "poplar/json_reader.hpp"

#include <poplar/exceptions.hpp>

#include <cctype>
#include <cstdlib>

namespace popir {
namespace {

using poplar::ProfileValue;

class JsonReader {
 public:
  JsonReader(const char* who, const std::string& text) : who_(who), text_(text) {}

  ProfileValue whole() {
    auto made = value(0);
    if (peek() != 0) fail("nothing more");
    return made;
  }

 private:
  static constexpr unsigned kDeepest = 64;

  [[noreturn]] void fail(const std::string& expected) const {
    throw poplar::poplar_error(std::string(who_) + ": expected " + expected + " at character " +
                               std::to_string(at_) + " of " + text_.substr(0, 200));
  }
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : 0;
  }
  bool next(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void take(char c) {
    if (!next(c)) fail(std::string("'") + c + "'");
  }
  bool word(const char* expected) {
    const std::string text = expected;
    if (text_.compare(at_, text.size(), text) != 0) return false;
    at_ += text.size();
    return true;
  }

  ProfileValue value(unsigned depth) {
    if (depth > kDeepest) fail("fewer brackets in brackets");
    switch (peek()) {
      case '{': {
        ProfileValue::Map map;
        take('{');
        if (peek() != '}') do {
            auto name = string();
            take(':');
            map[std::move(name)] = value(depth + 1);
          } while (next(','));
        take('}');
        return map;
      }
      case '[': {
        ProfileValue::Vector list;
        take('[');
        if (peek() != ']') do
            list.push_back(value(depth + 1));
          while (next(','));
        take(']');
        return list;
      }
      case '"': return string();
      default: break;
    }
    if (word("true")) return true;
    if (word("false")) return false;
    if (word("null")) return ProfileValue();
    const char* begin = text_.c_str() + at_;
    char* end = nullptr;
    const double number = std::strtod(begin, &end);
    if (end == begin) fail("a value");
    at_ += static_cast<std::size_t>(end - begin);
    return number;
  }

  std::string string() {
    take('"');
    std::string made;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        made += text_[at_++];
        continue;
      }
      if (++at_ >= text_.size()) break;
      const char c = text_[at_++];
      made += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
    }
    take('"');
    return made;
  }

  const char* who_;
  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

ProfileValue readJson(const char* who, const std::string& text) {
  return JsonReader(who, text).whole();
}

}  // namespace popir
