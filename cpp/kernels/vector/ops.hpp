// The loops of element-wise kernels: a table of functions by operator, element type and form,
// filled for the instruction set in use. A form says which operands are scalars.
#ifndef popir_kernels_vector_ops_hpp
#define popir_kernels_vector_ops_hpp

#include <popops/ExprOp.hpp>

#include <cstddef>
#include <cstdint>

namespace popir {

/// Element types of loops. There is no arithmetic on F16 and BF16; they are converted to F32.
enum class Lane : std::uint8_t { Bool, I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, F16, BF16 };
constexpr Lane lastOf(Lane) { return Lane::BF16; }
constexpr int kLanes = static_cast<int>(lastOf(Lane())) + 1;

/// The operators of expressions, named as in popops/ExprOp.hpp, then operators that occur in
/// MapPrograms only.
enum class VecOp : std::uint8_t {
#define POPIR_ROW(NODE, OP, FUNCTION) NODE,
  POPOPS_EXPR_UNARY_OPS(POPIR_ROW) POPOPS_EXPR_BINARY_OPS(POPIR_ROW)
      POPOPS_EXPR_TERNARY_OPS(POPIR_ROW)
#undef POPIR_ROW
  /// (x): copies the bits. A scalar is repeated.
  Copy,
  /// (x, y, a, b): x < y ? a : b, and so on for the other comparisons. F32 only.
  SelectLt,
  SelectLte,
  SelectGt,
  SelectGte,
  /// (x, bound, factor): x < bound ? factor * x : x. F32 only; bound and factor are scalars.
  ScaleBelow,
  /// (x, bound, a, b, y): (x < bound ? a : b) * y. F32 only; bound, a and b are scalars.
  MulBelow,
  /// (x, a, b): x * a + b. F32 only, as those that follow; both operators round.
  MulAdd,
  /// (x, a, y): y - x * a.
  SubProduct,
  /// (x, a, b): (x - a) * b.
  SubMul,
  /// (x, a): the square of x - a.
  SubSquare,
  /// (x, a): the exponential of x - a.
  SubExp,
  /// (x): converts to another type. The loops are in VecTable::convert.
  Convert,
  /// (x, a): the exponential of x - a for x <= a, as in a softmax; what would be subnormal is 0. F32
  /// only. It and what follows stand last so that what was saved before keeps its numbers.
  SubExpDown,
  /// (x): the arc tangent, and the arc cosine. F32 only.
  Atan,
  Acos,
  /// (x, a, b): 0.5 x (1 + tanh(a (x + b x^3))). F32 only; a and b are scalars. Each operator rounds.
  GeluTanh,
  /// (x, a): 0.5 x (1 + erf(a x)), the same way; a is a scalar.
  GeluErfOf,
  /// (x): x times its sigmoid. F32 only.
  Swish,
  /// (x, scale) and (x, scale, zero): x / scale, rounded to an integer, plus zero, in an integer type
  /// of 8 or 16 bits as Convert makes it. F32 only; scale and zero are scalars. The loops are in
  /// VecTable::quantize.
  Quantize,
  /// (x) and (x, zero): the same without a division. The loops are in VecTable::round.
  RoundTo,
  /// (x, scale) and (x, scale, zero): (x - zero) * scale in F32, of x in I8 or U8; scale and zero are
  /// scalars.
  Dequantize,
  /// (x, a, y, b): x * a + y * b. F32 only; a and b are scalars. Each operator rounds.
  Blend,
  /// (x, y, e): x / (sqrt(y) + e), the same way; e is a scalar.
  DivideByRoot,
  /// (x, end, size, stride): x, plus `end` if it is negative, times `stride` in I32, or the least
  /// number of I32 if that is not within [0, size). All but x are scalars: form 14.
  RowNumber,
  /// (x, a, k): the slope of GeluErfOf, 0.5 (1 + erf(a x)) + 0.5 x (k exp(-(a x)^2) a). F32 only; a
  /// and k are scalars. Each operator rounds.
  GeluErfSlope,
  /// (x, a, b): the slope of GeluTanh, 0.5 (1 + t) + 0.5 x ((1 - t^2) (a (1 + b (x^2 + x (2 x)))))
  /// with t = tanh(a (x + b x^3)), the same way.
  GeluTanhSlope,
  /// (x, y, scaleX, zeroX, scaleY, zeroY, scale, zero): Quantize of the sum, or of the product, of
  /// Dequantize of x and of y, all in I8 or U8. Each operator rounds. All but x and y are scalars. The
  /// loops are in VecTable::pairs.
  QuantizedSum,
  QuantizedProduct,
};
constexpr VecOp lastOf(VecOp) { return VecOp::QuantizedProduct; }
constexpr int kVecOps = static_cast<int>(lastOf(VecOp())) + 1;

/// `dst[i] = op(src[0][i], src[1][i], ...)` for i < n. A scalar source is read at [0] only. `dst`
/// may equal a source with elements of the same size. Any other overlap is not allowed.
using VecFn = void (*)(void* dst, const void* const* src, std::size_t n);

/// A form is a bit mask: bit k says that source k is a scalar. For example, form 2 of Sub is array
/// - scalar.
constexpr int kForms = 16;
constexpr int kMaxSources = 8;

struct VecTable {
  VecFn fn[kVecOps][kLanes][kForms];
  /// F32 loops with non-temporal stores, which bypass the caches.
  VecFn stream[kVecOps][kForms];
  /// [whether BF16][whether past the caches]
  VecFn half[2][2][kVecOps][kForms];
  /// [from][to]
  VecFn convert[kLanes][kLanes];
  /// [to][whether there is a zero point]
  VecFn quantize[kLanes][2], round[kLanes][2];
  /// [whether x is signed][y][result][whether a product]
  VecFn pairs[2][2][2][2];
  /// [from F32 or F64][to F16 or BF16]
  VecFn draw[2][2];
  VecFn lookup;
};

/// The loop of an operator for operands of type `lane`, or null if there is none. If a form is
/// null, form 0 (no scalars) may still exist; if form 0 is null too, the operator does not take the
/// type. MulBelow's form leaves out its last source, which is always an array.
VecFn vectorOp(VecOp op, Lane lane, int form);
/// The loop of vectorOp() with non-temporal stores, for F32 results much larger than the caches.
/// Null if there is none. A store fence must follow.
VecFn vectorStream(VecOp op, int form);
/// The loop of an operator of float on F16 or BF16: it widens its operands and rounds the result, as
/// conversions before and after it would; with `past` by non-temporal stores. Scalars are F32. Null if
/// there is none; where there is one of two operands, there is one for each place of a scalar, or that
/// on the right of an operator whose operands may change places.
VecFn vectorHalf(VecOp op, Lane lane, int form, bool past);
/// Null only if the conversion needs an intermediate step over F32, or over F64 where F32 would
/// round twice.
VecFn vectorConvert(Lane from, Lane to);
/// The loops of Quantize and of RoundTo to the type `to`. Null if it has more than 16 bits or is none
/// of integers.
VecFn vectorQuantize(Lane to, bool zero);
VecFn vectorRoundTo(Lane to, bool zero);
/// The loop of QuantizedSum or QuantizedProduct. Null for types other than I8 and U8.
VecFn vectorPair(VecOp op, Lane x, Lane y, Lane to);
/// (bytes, table): what the table of 256 bytes has for each of them.
VecFn vectorLookup();
/// (x, words): rounds x, F32 or F64, stochastically to F16 or BF16 with one random word per element
/// (kernels/rounding.hpp). Null for other types.
VecFn vectorDraw(Lane from, Lane to);

std::size_t laneBytes(Lane lane);

}  // namespace popir

#endif
