// Functions that make and ask shapes. CreateShape() and MakeTuple() are other names of MakeShape()
// and MakeTupleShape().
#ifndef XLA_SHAPE_UTIL_H_
#define XLA_SHAPE_UTIL_H_

#include "xla/shape.h"

namespace xla {

class ShapeUtil {
 public:
  static Shape MakeShape(PrimitiveType type, Span<int64> dimensions) {
    return Shape(type, dimensions);
  }
  static Shape CreateShape(PrimitiveType type, Span<int64> dimensions) {
    return MakeShape(type, dimensions);
  }
  /// `minor_to_major`: the dimensions in memory, from the one whose neighbours are adjacent.
  static Shape MakeShapeWithLayout(PrimitiveType type, Span<int64> dimensions,
                                   Span<int64> minor_to_major) {
    Shape shape = MakeShape(type, dimensions);
    shape.set_minor_to_major(minor_to_major);
    return shape;
  }
  static Shape MakeShapeWithDenseLayout(PrimitiveType type, Span<int64> dimensions,
                                        Span<int64> minor_to_major) {
    return MakeShapeWithLayout(type, dimensions, minor_to_major);
  }
  static Shape MakeScalarShape(PrimitiveType type) { return MakeShape(type, {}); }
  static Shape MakeTupleShape(Span<Shape> shapes) { return Shape(std::vector<Shape>(shapes)); }
  static Shape MakeTuple(Span<Shape> shapes) { return MakeTupleShape(shapes); }
  static Shape MakeTokenShape() { return Shape(TOKEN, {}); }
  static Shape MakeNil() { return MakeTupleShape({}); }

  static bool Equal(const Shape& a, const Shape& b) {
    return a == b && a.minor_to_major() == b.minor_to_major();
  }
  static bool Compatible(const Shape& a, const Shape& b) { return a == b; }
  static bool IsScalar(const Shape& shape) { return shape.IsArray() && shape.rank() == 0; }
  static int64 ElementsIn(const Shape& shape) {
    int64 count = 1;
    for (const int64 size : shape.dimensions()) count *= size;
    return count;
  }
  static std::string HumanString(const Shape& shape) { return shape.ToString(); }
};

}  // namespace xla

#endif  // XLA_SHAPE_UTIL_H_
