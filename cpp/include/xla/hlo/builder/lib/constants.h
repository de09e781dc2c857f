// Constants whose type is that of a value or a parameter.
#ifndef XLA_HLO_BUILDER_LIB_CONSTANTS_H_
#define XLA_HLO_BUILDER_LIB_CONSTANTS_H_

#include "xla/hlo/builder/xla_builder.h"

namespace xla {

/// A scalar of the type.
template <class T>
XlaOp ConstantR0WithType(XlaBuilder* builder, PrimitiveType type, T value) {
  switch (type) {
    case PRED: return ConstantR0<bool>(builder, value != T(0));
    case S8: return ConstantR0<int8>(builder, static_cast<int8>(value));
    case S16: return ConstantR0<int16>(builder, static_cast<int16>(value));
    case S32: return ConstantR0<int32>(builder, static_cast<int32>(value));
    case S64: return ConstantR0<int64>(builder, static_cast<int64>(value));
    case U8: return ConstantR0<uint8>(builder, static_cast<uint8>(value));
    case U16: return ConstantR0<uint16>(builder, static_cast<uint16>(value));
    case U32: return ConstantR0<uint32>(builder, static_cast<uint32>(value));
    case U64: return ConstantR0<uint64>(builder, static_cast<uint64>(value));
    case F32: return ConstantR0<float>(builder, static_cast<float>(value));
    case F64: return ConstantR0<double>(builder, static_cast<double>(value));
    case F16:
    case BF16: {
      const XlaOp wide = ConstantR0<float>(builder, static_cast<float>(value));
      return ConvertElementType(wide, type);
    }
    default:
      return builder->fail("a constant of the type " + Shape(type, {}).ToString() +
                           " cannot be made");
  }
}

/// A scalar of the type of `prototype`.
template <class T>
XlaOp ScalarLike(XlaOp prototype, T value) {
  XlaBuilder* b = xla_builder_internal::of(prototype);
  if (!xla_builder_internal::checked(b, {prototype}, "constant")) return XlaOp(b, -1);
  return ConstantR0WithType(b, b->shapeOf(prototype).element_type(), value);
}
/// As many of them as `prototype` has elements.
template <class T>
XlaOp FullLike(XlaOp prototype, T value) {
  const XlaOp scalar = ScalarLike(prototype, value);
  XlaBuilder* b = scalar.builder();
  if (!b->knows(scalar)) return scalar;
  return Broadcast(scalar, b->shapeOf(prototype).dimensions());
}
inline XlaOp ZerosLike(XlaOp prototype) { return FullLike(prototype, 0); }

inline XlaOp Zero(XlaBuilder* builder, PrimitiveType type) {
  return ConstantR0WithType(builder, type, 0);
}
inline XlaOp One(XlaBuilder* builder, PrimitiveType type) {
  return ConstantR0WithType(builder, type, 1);
}
inline XlaOp Zeros(XlaBuilder* builder, const Shape& shape) {
  return Broadcast(Zero(builder, shape.element_type()), shape.dimensions());
}

}  // namespace xla

#endif  // XLA_HLO_BUILDER_LIB_CONSTANTS_H_
