// Values of debug information. After poplar/ProfileValue.hpp of the Poplar SDK 3.
#ifndef poplar_ProfileValue_hpp
#define poplar_ProfileValue_hpp

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
  const String& asString() const { return string_; }
  const Vector& asVector() const { return vector_; }
  const Map& asMap() const { return map_; }

  bool operator==(const ProfileValue& o) const {
    return type_ == o.type_ && number_ == o.number_ && string_ == o.string_ &&
           vector_ == o.vector_ && map_ == o.map_;
  }
  bool operator!=(const ProfileValue& o) const { return !(*this == o); }

 private:
  Type type_;
  Number number_ = 0;
  String string_;
  Vector vector_;
  Map map_;
};

/// Writes a value as JSON, on one line or indented.
void serializeToJSON(std::ostream& out, const ProfileValue& value, bool prettyPrint = false);

}  // namespace poplar

#pragma GCC visibility pop

#endif
