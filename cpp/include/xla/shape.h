// Shapes: arrays, tokens and tuples.
#ifndef XLA_SHAPE_H_
#define XLA_SHAPE_H_

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "xla/xla_data.pb.h"

namespace xla {

/// Items one after another in memory that somebody else owns; also made from `{1, 2}`.
template <class T>
class Span {
 public:
  Span() = default;
  Span(const T* data, std::size_t size) : data_(data), size_(size) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"  // It is for arguments of functions.
#endif
  Span(std::initializer_list<T> items) : data_(items.begin()), size_(items.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
  template <class Container, class = decltype(std::declval<const Container&>().data())>
  Span(const Container& items) : data_(items.data()), size_(items.size()) {}
  template <std::size_t N>
  Span(const T (&items)[N]) : data_(items), size_(N) {}

  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  operator std::vector<T>() const { return {begin(), end()}; }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The name of an element type in the text of programs, such as "f32".
inline std::string PrimitiveTypeName(PrimitiveType type) {
  switch (type) {
    case PRED: return "pred";
    case S8: return "s8";
    case S16: return "s16";
    case S32: return "s32";
    case S64: return "s64";
    case U8: return "u8";
    case U16: return "u16";
    case U32: return "u32";
    case U64: return "u64";
    case F16: return "f16";
    case F32: return "f32";
    case F64: return "f64";
    case C64: return "c64";
    case C128: return "c128";
    case BF16: return "bf16";
    case TOKEN: return "token";
    default: return "invalid";
  }
}

class Shape {
 public:
  Shape() = default;
  Shape(PrimitiveType type, std::vector<int64> dimensions)
      : type_(type), dimensions_(std::move(dimensions)) {}
  explicit Shape(std::vector<Shape> elements) : type_(TUPLE), elements_(std::move(elements)) {}

  PrimitiveType element_type() const { return type_; }
  const std::vector<int64>& dimensions() const { return dimensions_; }
  int64 dimensions(int i) const { return dimensions_.at(static_cast<std::size_t>(i)); }
  int dimensions_size() const { return static_cast<int>(dimensions_.size()); }
  int64 rank() const { return static_cast<int64>(dimensions_.size()); }
  bool IsTuple() const { return type_ == TUPLE; }
  bool IsToken() const { return type_ == TOKEN; }
  bool IsArray() const { return !IsTuple() && !IsToken() && type_ != PRIMITIVE_TYPE_INVALID; }
  const std::vector<Shape>& tuple_shapes() const { return elements_; }
  const Shape& tuple_shapes(int i) const { return elements_.at(static_cast<std::size_t>(i)); }
  int tuple_shapes_size() const { return static_cast<int>(elements_.size()); }

  /// The dimensions in memory, from the one whose neighbours are adjacent; empty for row-major.
  const std::vector<int64>& minor_to_major() const { return layout_; }
  void set_minor_to_major(std::vector<int64> layout) { layout_ = std::move(layout); }
  bool has_layout() const { return !layout_.empty(); }

  /// "f32[2,3]", with a layout "f32[2,3]{0,1}"; "(f32[2], s32[])" for a tuple.
  std::string ToString() const {
    std::string text;
    if (IsTuple()) {
      for (const Shape& each : elements_) text += (text.empty() ? "" : ", ") + each.ToString();
      return "(" + text + ")";
    }
    text = PrimitiveTypeName(type_) + "[" + joined(dimensions_) + "]";
    return layout_.empty() ? text : text + "{" + joined(layout_) + "}";
  }
  /// Whether type and dimensions are the same. Layouts are not compared.
  bool operator==(const Shape& other) const {
    return type_ == other.type_ && dimensions_ == other.dimensions_ && elements_ == other.elements_;
  }
  bool operator!=(const Shape& other) const { return !(*this == other); }

 private:
  static std::string joined(const std::vector<int64>& numbers) {
    std::string text;
    for (const int64 each : numbers) text += (text.empty() ? "" : ",") + std::to_string(each);
    return text;
  }

  PrimitiveType type_ = PRIMITIVE_TYPE_INVALID;
  std::vector<int64> dimensions_;
  std::vector<Shape> elements_;
  std::vector<int64> layout_;
};

}  // namespace xla

#endif  // XLA_SHAPE_H_
