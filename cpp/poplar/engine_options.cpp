#include "poplar/engine_options.hpp"

#include <poplar/exceptions.hpp>

#include <cctype>
#include <cstdlib>

namespace popir {
namespace {

constexpr const char* kVariable = "POPLAR_ENGINE_OPTIONS";

// A JSON object whose values are strings, numbers or booleans: what options can be.
class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

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
    throw poplar::invalid_option(std::string(kVariable) + ": expected " + expected +
                                 " at character " + std::to_string(at_) + " of " + text_ +
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

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

poplar::OptionFlags withEnvironment(const poplar::OptionFlags& options) {
  const char* text = std::getenv(kVariable);
  if (text == nullptr || *text == 0) return options;
  auto all = options;
  const std::string given = text;
  for (const auto& [name, value] : Reader(given).options()) all.set(name, value);
  return all;
}

bool flagFrom(const poplar::OptionFlags& options, const char* name, bool otherwise) {
  const auto found = options.find(name);
  if (found == options.end()) return otherwise;
  if (found->second == "true") return true;
  if (found->second == "false") return false;
  throw poplar::invalid_option("Engine: " + std::string(name) + " is '" + found->second +
                               "', expected true or false");
}

}  // namespace popir
