#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>

#include <cmath>
#include <cstdio>
#include <ostream>

namespace poplar {
namespace {

void writeText(std::ostream& out, const std::string& text) {
  out << '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out << '\\' << c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out << code;
    } else {
      out << c;
    }
  }
  out << '"';
}

class Writer {
 public:
  Writer(std::ostream& out, bool pretty) : out_(out), pretty_(pretty) {}

  void write(const ProfileValue& value) {
    switch (value.type()) {
      case ProfileValue::Type::BOOL: out_ << (value.asBool() ? "true" : "false"); return;
      case ProfileValue::Type::NUMBER: return number(value.asDouble());
      case ProfileValue::Type::STRING: return writeText(out_, value.asString());
      case ProfileValue::Type::VECTOR: {
        begin('[');
        for (const auto& v : value.asVector()) {
          next();
          write(v);
        }
        return end(']');
      }
      case ProfileValue::Type::MAP: {
        begin('{');
        for (const auto& [name, v] : value.asMap()) {
          next();
          writeText(out_, name);
          out_ << (pretty_ ? ": " : ":");
          write(v);
        }
        return end('}');
      }
    }
  }

 private:
  void number(double x) {
    char text[32];
    if (x == std::floor(x) && std::fabs(x) < 1e15)
      std::snprintf(text, sizeof text, "%.0f", x);
    else
      std::snprintf(text, sizeof text, "%.17g", x);
    out_ << (std::isfinite(x) ? text : "null");
  }
  void begin(char bracket) {
    out_ << bracket;
    ++depth_;
    empty_ = true;
  }
  void next() {
    if (!empty_) out_ << ',';
    empty_ = false;
    line();
  }
  void end(char bracket) {
    --depth_;
    if (!empty_) line();
    empty_ = false;
    out_ << bracket;
  }
  void line() {
    if (pretty_) out_ << '\n' << std::string(2 * depth_, ' ');
  }

  std::ostream& out_;
  bool pretty_, empty_ = true;
  std::size_t depth_ = 0;
};

}  // namespace

ProfileValue getAsProfileValue(const OptionFlags& options) {
  ProfileValue::Map map;
  for (const auto& [name, value] : options) map[name] = value;
  return map;
}

void serializeToJSON(std::ostream& out, const ProfileValue& value, bool prettyPrint) {
  Writer(out, prettyPrint).write(value);
  if (prettyPrint) out << '\n';
}

}  // namespace poplar
