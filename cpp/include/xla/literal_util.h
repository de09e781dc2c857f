// Constants for programs.
#ifndef XLA_LITERAL_UTIL_H_
#define XLA_LITERAL_UTIL_H_

#include <cmath>
#include <limits>
#include <sstream>
#include <type_traits>

#include "xla/shape_util.h"

namespace xla {

/// The element type for a type of C++.
template <class T>
constexpr PrimitiveType PrimitiveTypeOf() {
  if constexpr (std::is_same_v<T, bool>) return PRED;
  if constexpr (std::is_same_v<T, float>) return F32;
  if constexpr (std::is_same_v<T, double>) return F64;
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    constexpr bool sign = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1) return sign ? S8 : U8;
    if constexpr (sizeof(T) == 2) return sign ? S16 : U16;
    if constexpr (sizeof(T) == 4) return sign ? S32 : U32;
    if constexpr (sizeof(T) == 8) return sign ? S64 : U64;
  }
  return PRIMITIVE_TYPE_INVALID;
}

/// An array with its values.
class Literal {
 public:
  Literal() = default;
  template <class T>
  Literal(Shape shape, const std::vector<T>& values) : shape_(std::move(shape)) {
    static_assert(PrimitiveTypeOf<T>() != PRIMITIVE_TYPE_INVALID,
                  "literals are of bool, integers, float and double");
    for (const T value : values) values_.push_back(textOf(value));
  }
  const Shape& shape() const { return shape_; }
  /// The values in the text of programs: "{{1, 2}, {3, 4}}".
  std::string ToString() const {
    std::size_t at = 0;
    return nested(0, at);
  }
  /// Whether there is a value for each element.
  bool IsComplete() const {
    return static_cast<int64>(values_.size()) == ShapeUtil::ElementsIn(shape_);
  }

 private:
  template <class T>
  static std::string textOf(T value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value ? "true" : "false";
    } else if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) return "nan";
      if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
      std::ostringstream text;
      text.precision(std::numeric_limits<T>::max_digits10);
      text << value;
      return text.str();
    } else {
      return std::to_string(value);
    }
  }
  std::string nested(std::size_t depth, std::size_t& at) const {
    if (depth == shape_.dimensions().size())
      return at < values_.size() ? values_[at++] : std::string("?");
    std::string text;
    for (int64 i = 0; i < shape_.dimensions()[depth]; ++i)
      text += (i == 0 ? "" : ", ") + nested(depth + 1, at);
    return "{" + text + "}";
  }

  Shape shape_;
  std::vector<std::string> values_;
};

class LiteralUtil {
 public:
  template <class T>
  static Literal CreateR0(T value) {
    return Literal(ShapeUtil::MakeShape(PrimitiveTypeOf<T>(), {}), std::vector<T>{value});
  }
  template <class T>
  static Literal CreateR1(Span<T> values) {
    const auto size = static_cast<int64>(values.size());
    return Literal(ShapeUtil::MakeShape(PrimitiveTypeOf<T>(), {size}), std::vector<T>(values));
  }
  template <class T>
  static Literal CreateR2(std::initializer_list<std::initializer_list<T>> rows) {
    std::vector<T> values;
    for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
    const auto count = static_cast<int64>(rows.size());
    const auto size = count == 0 ? 0 : static_cast<int64>(rows.begin()->size());
    return Literal(ShapeUtil::MakeShape(PrimitiveTypeOf<T>(), {count, size}), values);
  }
};

}  // namespace xla

#endif  // XLA_LITERAL_UTIL_H_
