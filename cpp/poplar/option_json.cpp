#include "poplar/option_json.hpp"

#include <poplar/exceptions.hpp>

#include <cctype>
#include <iterator>

namespace popir {
namespace {

// Reads a JSON object with values that options can have: strings, numbers and booleans.
class Reader {
 public:
  Reader(const char* who, const std::string& text) : who_(who), text_(text) {}

  poplar::OptionFlags options() {
    poplar::OptionFlags options;
    take('{');
    if (peek() != '}') {
      do {
        const auto name = string();
        take(':');
        options.set(name, peek() == '"' ? string() : word());
      } while (next(','));
    }
    take('}');
    if (peek() != 0) fail("nothing more");
    return options;
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    throw poplar::invalid_option(std::string(who_) + ": expected " + expected + " at character " +
                                 std::to_string(at_) + " of " + text_ +
                                 "; give a JSON object such as {\"autoReport.all\": \"true\"}");
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
  std::string string() {
    take('"');
    std::string value;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      value += text_[at_++];
    }
    take('"');
    return value;
  }
  std::string word() {
    std::string value;
    for (peek(); at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                        text_[at_] == '.' || text_[at_] == '-');)
      value += text_[at_++];
    if (value.empty()) fail("a value");
    return value;
  }

  const char* who_;
  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

void readOptions(const char* who, const std::string& text, poplar::OptionFlags& options) {
  for (const auto& [name, value] : Reader(who, text).options()) options.set(name, value);
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
