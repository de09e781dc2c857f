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
  /// BOOL_ is BOOL by the name that it has where BOOL is a macro.
  enum class Type { BOOL, NUMBER, STRING, VECTOR, MAP, BOOL_ = BOOL };
  /// What holds a value of any type: one of the fields, the others are empty.
  struct Storage {
    Number number;
    String string;
    Vector vector;
    Map map;
    Storage() : number(0) {}
    bool operator==(const Storage& o) const {
      return number == o.number && string == o.string && vector == o.vector && map == o.map;
    }
  };

  ProfileValue() : type_(Type::STRING) {}
  ProfileValue(Boolean value) : type_(Type::BOOL) { storage_.number = value ? 1 : 0; }
  template <class T, typename = typename std::enable_if<std::is_arithmetic<T>::value &&
                                                        !std::is_same<T, bool>::value>::type>
  ProfileValue(T value) : type_(Type::NUMBER) {
    storage_.number = static_cast<Number>(value);
  }
  ProfileValue(String value) : type_(Type::STRING) { storage_.string = std::move(value); }
  ProfileValue(const char* value) : ProfileValue(String(value)) {}
  ProfileValue(Vector value) : type_(Type::VECTOR) { storage_.vector = std::move(value); }
  ProfileValue(Map value) : type_(Type::MAP) { storage_.map = std::move(value); }

  Type type() const { return type_; }
  const Storage& storage() const { return storage_; }
  /// The as...() functions return the value if type() matches; otherwise empty, 0 or false.
  Boolean asBool() const { return type_ == Type::BOOL && storage_.number != 0; }
  Number asDouble() const { return type_ == Type::NUMBER ? storage_.number : 0; }
  std::int64_t asInt() const { return static_cast<std::int64_t>(asDouble()); }
  std::uint64_t asUint() const { return static_cast<std::uint64_t>(asDouble()); }
  const String& asString() const { return storage_.string; }
  const Vector& asVector() const { return storage_.vector; }
  const Map& asMap() const { return storage_.map; }

  /// A value of a map; null if it has none of this name.
  const ProfileValue* getOrNull(StringRef name) const {
    const auto found = storage_.map.find(name.str());
    return found == storage_.map.end() ? nullptr : &found->second;
  }
  /// The number of values of a list or a map.
  std::size_t size() const {
    return type_ == Type::MAP ? storage_.map.size() : storage_.vector.size();
  }
  std::vector<std::uint64_t> toUintVector() const {
    std::vector<std::uint64_t> numbers;
    for (const auto& each : storage_.vector) numbers.push_back(each.asUint());
    return numbers;
  }
  /// The sum of a list's numbers, and that of the numbers of a list of lists.
  Number sumDouble() const {
    Number sum = 0;
    for (const auto& each : storage_.vector) sum += each.asDouble();
    return sum;
  }
  std::int64_t sumInt() const { return added<std::int64_t>(&ProfileValue::asInt); }
  std::uint64_t sumUint() const { return added<std::uint64_t>(&ProfileValue::asUint); }
  std::int64_t sum2DInt() const { return added<std::int64_t>(&ProfileValue::sumInt); }
  std::uint64_t sum2DUint() const { return added<std::uint64_t>(&ProfileValue::sumUint); }

  bool operator==(const ProfileValue& o) const {
    return type_ == o.type_ && storage_ == o.storage_;
  }
  bool operator!=(const ProfileValue& o) const { return !(*this == o); }

 private:
  template <class T>
  T added(T (ProfileValue::*of)() const) const {
    T sum = 0;
    for (const auto& each : storage_.vector) sum += (each.*of)();
    return sum;
  }

  Type type_;
  Storage storage_;
};

class OptionFlags;
/// The options as a map of strings.
ProfileValue getAsProfileValue(const OptionFlags& options);

/// Writes a value as JSON, on one line or indented.
void serializeToJSON(std::ostream& out, const ProfileValue& value, bool prettyPrint = false);

}  // namespace poplar

#pragma GCC visibility pop

#endif
