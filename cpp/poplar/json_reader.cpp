#include "poplar/json_reader.hpp"

#include <poplar/exceptions.hpp>

#include <cctype>
#include <cstdlib>
#include <iterator>
#include <stdexcept>

namespace popir {
namespace {

using poplar::ProfileValue;

struct NoJson : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// \throws NoJson
class JsonReader {
 public:
  explicit JsonReader(const std::string& text) : text_(text) {}

  ProfileValue value(unsigned depth = 0) {
    if (depth > kDeepest) fail("fewer brackets in brackets");
    switch (peek()) {
      case '{': {
        ProfileValue::Map map;
        eachMember([&](std::string name) { map[std::move(name)] = value(depth + 1); });
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
    const auto begin = at_;
    const auto text = word();
    if (text == "true" || text == "false") return text == "true";
    if (text == "null") return ProfileValue();
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (*end == 0) return number;
    at_ = begin;
    fail("a value");
  }

  poplar::OptionFlags options() {
    poplar::OptionFlags options;
    eachMember(
        [&](const std::string& name) { options.set(name, peek() == '"' ? string() : word()); });
    return options;
  }

  void end() {
    if (peek() != 0) fail("nothing more");
  }

 private:
  static constexpr unsigned kDeepest = 64;

  [[noreturn]] void fail(const std::string& expected) const {
    throw NoJson("expected " + expected + " at character " + std::to_string(at_) + " of " +
                 text_.substr(0, 200));
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

  /// Calls `read` with the name of each member of an object, to read its value.
  template <class Read>
  void eachMember(const Read& read) {
    take('{');
    if (peek() != '}') do {
        auto name = string();
        take(':');
        read(std::move(name));
      } while (next(','));
    take('}');
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

  /// A number, true, false or null, as it is written.
  std::string word() {
    std::string made;
    for (peek(); at_ < text_.size(); made += text_[at_++])
      if (!std::isalnum(static_cast<unsigned char>(text_[at_])) && text_[at_] != '.' &&
          text_[at_] != '-' && text_[at_] != '+')
        break;
    if (made.empty()) fail("a value");
    return made;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

ProfileValue readJson(const char* who, const std::string& text) {
  try {
    JsonReader reader(text);
    auto value = reader.value();
    reader.end();
    return value;
  } catch (const NoJson& error) {
    throw poplar::poplar_error(std::string(who) + ": " + error.what());
  }
}

void readOptions(const char* who, const std::string& text, poplar::OptionFlags& options) {
  try {
    JsonReader reader(text);
    const auto given = reader.options();
    reader.end();
    for (const auto& [name, value] : given) options.set(name, value);
  } catch (const NoJson& error) {
    throw poplar::invalid_option(std::string(who) + ": " + error.what() +
                                 "; give a JSON object such as {\"autoReport.all\": \"true\"}");
  }
}

}  // namespace popir

namespace poplar {

void readJSON(const std::string& string, OptionFlags& flags) {
  popir::readOptions("poplar::readJSON", string, flags);
}

void readJSON(std::istream& inStream, OptionFlags& flags) {
  readJSON(std::string(std::istreambuf_iterator<char>(inStream), {}), flags);
}

void readJSONFromEnv(const std::string& var, OptionFlags& flags) {
  if (const char* text = std::getenv(var.c_str())) readJSON(std::string(text), flags);
}

}  // namespace poplar
