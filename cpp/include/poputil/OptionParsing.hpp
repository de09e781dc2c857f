// Options of functions. After poputil/OptionParsing.hpp of PopLibs 3.
#ifndef poputil_OptionParsing_hpp
#define poputil_OptionParsing_hpp

#include <poplar/StringRef.hpp>
#include <poplar/exceptions.hpp>

#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace poplibs {
namespace parse {

/// The value of a text, as a number, one of several names, or "true" or "false".
/// \throws poplar::invalid_option if it is none
template <typename T>
T asInteger(const poplar::StringRef& text) {
  const std::string all = text;
  std::istringstream in(all);
  T value;
  in >> (all.find("0x") == std::string::npos ? std::dec : std::hex) >> value;
  if (in.fail() || !in.eof()) throw poplar::invalid_option("it is no integer");
  return value;
}
template <typename T>
T asFloatingPoint(const poplar::StringRef& text) {
  std::istringstream in{std::string(text)};
  T value;
  in >> value;
  if (in.fail()) throw poplar::invalid_option("it is no number");
  return value;
}
template <typename T>
T asEnum(const poplar::StringRef& text, const std::map<std::string, T>& values) {
  const auto found = values.find(text);
  if (found != values.end()) return found->second;
  std::string names;
  for (const auto& each : values) names += (names.empty() ? "'" : ", '") + each.first + "'";
  throw poplar::invalid_option("it is none of " + names);
}
inline bool asBool(const poplar::StringRef& text) {
  return asEnum<bool>(text, {{"true", true}, {"false", false}});
}

}  // namespace parse

/// Sets a variable from the text of an option.
class OptionHandler {
 public:
  template <typename F>
  OptionHandler(F&& handle) : handle_(std::forward<F>(handle)) {}

  void parseValue(poplar::StringRef value) const { handle_(value); }

  template <typename T, typename Values = std::map<std::string, T>>
  static OptionHandler createWithEnum(T& output, Values&& values) {
    const std::map<std::string, T> kept(std::forward<Values>(values));
    return OptionHandler(
        [&output, kept](poplar::StringRef text) { output = parse::asEnum<T>(text, kept); });
  }
  template <typename T>
  static OptionHandler createWithInteger(T& output) {
    return OptionHandler(
        [&output](poplar::StringRef text) { output = parse::asInteger<int>(text); });
  }
  template <typename T>
  static OptionHandler createWithBool(T& output) {
    return OptionHandler(
        [&output](poplar::StringRef text) { output = static_cast<T>(parse::asBool(text)); });
  }
  template <typename T>
  static OptionHandler createWithDouble(T& output,
                                        double lower = std::numeric_limits<double>::min(),
                                        bool withLower = true,
                                        double upper = std::numeric_limits<double>::max(),
                                        bool withUpper = true) {
    return OptionHandler([&output, lower, withLower, upper, withUpper](poplar::StringRef text) {
      const double value = parse::asFloatingPoint<double>(text);
      ensureValueIsWithinBounds(value, lower, withLower, upper, withUpper);
      output = value;
    });
  }
  static OptionHandler createWithString(std::string& output) {
    return OptionHandler([&output](poplar::StringRef text) { output = std::string(text); });
  }
  /// Integers between commas.
  template <typename T>
  static OptionHandler createWithList(std::vector<T>& output) {
    return OptionHandler([&output](poplar::StringRef texts) {
      std::istringstream in{std::string(texts)};
      for (std::string each; std::getline(in, each, ',');)
        output.push_back(parse::asInteger<T>(each));
    });
  }

  /// \throws poplar::invalid_option for a value beyond the bounds
  template <typename T>
  static void ensureValueIsWithinBounds(T value, const T& lower, bool withLower, const T& upper,
                                        bool withUpper) {
    if (value < lower || (!withLower && value == lower))
      throw poplar::invalid_option("the least value is " + std::string(withLower ? "" : "above ") +
                                   std::to_string(lower));
    if (value > upper || (!withUpper && value == upper))
      throw poplar::invalid_option("the largest value is " +
                                   std::string(withUpper ? "" : "below ") + std::to_string(upper));
  }

 private:
  std::function<void(poplar::StringRef)> handle_;
};

/// The options that a function has.
class OptionSpec {
 public:
  using Row = std::pair<const std::string, OptionHandler>;
  OptionSpec(std::initializer_list<Row> rows) : rows_(rows) {}

  /// \throws poplar::invalid_option for an option that there is not, unless `ignoreUnknown`, and for
  /// an invalid value
  void parse(poplar::StringRef option, poplar::StringRef value, bool ignoreUnknown = false) const {
    const auto found = rows_.find(option);
    if (found == rows_.end()) {
      if (ignoreUnknown) return;
      throw poplar::invalid_option("there is no option '" + std::string(option) + "'");
    }
    try {
      found->second.parseValue(value);
    } catch (const poplar::invalid_option& wrong) {
      throw poplar::invalid_option("option '" + std::string(option) + "' has the value '" +
                                   std::string(value) + "': " + wrong.what());
    }
  }

 private:
  std::map<const std::string, OptionHandler> rows_;
};

template <typename T>
OptionHandler createOptionalDoubleHandler(std::optional<T>& output,
                                          double lower = std::numeric_limits<double>::min(),
                                          bool withLower = true,
                                          double upper = std::numeric_limits<double>::max(),
                                          bool withUpper = true) {
  return OptionHandler([&output, lower, withLower, upper, withUpper](poplar::StringRef text) {
    const double value = parse::asFloatingPoint<double>(text);
    OptionHandler::ensureValueIsWithinBounds(value, lower, withLower, upper, withUpper);
    output = value;
  });
}
/// "none" is no value.
template <typename T, typename Values = std::map<std::string, T>>
OptionHandler createOptionalEnumHandler(std::optional<T>& output, Values&& values) {
  const std::map<std::string, T> kept(std::forward<Values>(values));
  return OptionHandler([&output, kept](poplar::StringRef text) {
    if (std::string(text) == "none")
      output = std::nullopt;
    else
      output = parse::asEnum<T>(text, kept);
  });
}

}  // namespace poplibs

#endif
