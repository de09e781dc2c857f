// Values of debug information. After poplar/ProfileValue.hpp of the Poplar SDK 3.
#ifndef poplar_ProfileValue_hpp
#define poplar_ProfileValue_hpp

#include <poplar/StringRef.hpp>

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace poplar {

/// A boolean, a number, a string, a list or a map of values. Copies are deep.
class ProfileValue {
 public:
  using Boolean = bool;
  using Number = double;
  using String = std::string;
  using Vector = std::vector<ProfileValue>;
  using Map = std::map<std::string, ProfileValue>;
  enum class Type { BOOL, NUMBER, STRING, VECTOR, MAP };

  ProfileValue() : type_(Type::STRING) {}
  ProfileValue(Boolean value) : type_(Type::BOOL), number_(value ? 1 : 0) {}
  template <class T, typename = typename std::enable_if<std::is_arithmetic<T>::value &&
                                                        !std::is_same<T, bool>::value>::type>
  ProfileValue(T value) : type_(Type::NUMBER), number_(static_cast<Number>(value)) {}
  ProfileValue(String value) : type_(Type::STRING), string_(std::move(value)) {}
  ProfileValue(const char* value) : type_(Type::STRING), string_(value) {}
  ProfileValue(Vector value) : type_(Type::VECTOR), vector_(std::move(value)) {}
  ProfileValue(Map value) : type_(Type::MAP), map_(std::move(value)) {}

  Type type() const { return type_; }
  /// The as...() functions return the value if type() matches; otherwise empty, 0 or false.
  Boolean asBool() const { return type_ == Type::BOOL && number_ != 0; }
  Number asDouble() const { return type_ == Type::NUMBER ? number_ : 0; }
  std::int64_t asInt() const { return static_cast<std::int64_t>(asDouble()); }
  std::uint64_t asUint() const { return static_cast<std::uint64_t>(asDouble()); }
  const String& asString() const { return string_; }
  const Vector& asVector() const { return vector_; }
  const Map& asMap() const { return map_; }

  /// A value of a map; null if it has none of this name.
  const ProfileValue* getOrNull(StringRef name) const {
    const auto found = map_.find(name.str());
    return found == map_.end() ? nullptr : &found->second;
  }
  /// The number of values of a list or a map.
  std::size_t size() const { return type_ == Type::MAP ? map_.size() : vector_.size(); }
  std::vector<std::uint64_t> toUintVector() const {
    std::vector<std::uint64_t> numbers;
    for (const auto& each : vector_) numbers.push_back(each.asUint());
    return numbers;
  }
  /// The sum of a list's numbers, and that of the numbers of a list of lists.
  Number sumDouble() const {
    Number sum = 0;
    for (const auto& each : vector_) sum += each.asDouble();
    return sum;
  }
  std::int64_t sumInt() const { return added<std::int64_t>(&ProfileValue::asInt); }
  std::uint64_t sumUint() const { return added<std::uint64_t>(&ProfileValue::asUint); }
  std::int64_t sum2DInt() const { return added<std::int64_t>(&ProfileValue::sumInt); }
  std::uint64_t sum2DUint() const { return added<std::uint64_t>(&ProfileValue::sumUint); }

  bool operator==(const ProfileValue& o) const {
    return type_ == o.type_ && number_ == o.number_ && string_ == o.string_ &&
           vector_ == o.vector_ && map_ == o.map_;
  }
  bool operator!=(const ProfileValue& o) const { return !(*this == o); }

 private:
  template <class T>
  T added(T (ProfileValue::*of)() const) const {
    T sum = 0;
    for (const auto& each : vector_) sum += (each.*of)();
    return sum;
  }

  Type type_;
  Number number_ = 0;
  String string_;
  Vector vector_;
  Map map_;
};

class OptionFlags;
/// The options as a map of strings.
ProfileValue getAsProfileValue(const OptionFlags& options);

/// Writes a value as JSON, on one line or indented.
void serializeToJSON(std::ostream& out, const ProfileValue& value, bool prettyPrint = false);

}  // namespace poplar

#pragma GCC visibility pop

#endif
