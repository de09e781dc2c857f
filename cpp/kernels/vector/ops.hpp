// The loops that element-wise kernels are made of: a table of functions by operator, element type
// and form, filled for the instruction set in use.
#ifndef popir_kernels_vector_ops_hpp
#define popir_kernels_vector_ops_hpp

#include <popops/ExprOp.hpp>

#include <cstddef>
#include <cstdint>

namespace popir {

/// Element types as loops see them. There is no arithmetic on F16 and BF16: they are converted.
enum class Lane : std::uint8_t { Bool, I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, F16, BF16 };
constexpr int kLanes = 13;

/// The operators of expressions by the name of their node, and what only programs are made of.
enum class VecOp : std::uint8_t {
#define POPIR_ROW(NODE, OP, FUNCTION) NODE,
  POPOPS_EXPR_UNARY_OPS(POPIR_ROW) POPOPS_EXPR_BINARY_OPS(POPIR_ROW)
      POPOPS_EXPR_TERNARY_OPS(POPIR_ROW)
#undef POPIR_ROW
  /// (x): the same bits; of a scalar, repeated.
  Copy,
  /// (x, y, a, b): x < y ? a : b, and so on. F32 only.
  SelectLt,
  SelectLte,
  SelectGt,
  SelectGte,
  /// (x, bound, factor): x < bound ? factor * x : x. F32 only, the last two scalars.
  ScaleBelow,
  /// (x, bound, a, b, y): (x < bound ? a : b) * y. F32 only, the middle three scalars.
  MulBelow,
  /// (x): another type; in a table of its own.
  Convert,
  kCount
};
constexpr int kVecOps = static_cast<int>(VecOp::kCount);

/// `dst[i] = op(src[0][i], src[1][i], ...)` for i < n. A scalar source is read at [0] only. `dst`
/// may be one of the sources, if its elements are as large, but must not overlap them otherwise.
using VecFn = void (*)(void* dst, const void* const* src, std::size_t n);

/// Forms: bit k says that source k is a scalar.
constexpr int kForms = 16;
constexpr int kMaxSources = 5;

struct VecTable {
  VecFn fn[kVecOps][kLanes][kForms];
  /// For F32, with stores that go past the caches.
  VecFn stream[kVecOps][kForms];
  /// [from][to]
  VecFn convert[kLanes][kLanes];
  /// [from F32 or F64][to F16 or BF16]
  VecFn draw[2][2];
};

/// The loop for an operator over operands of type `lane`, or null where there is none: then the
/// form without scalars may exist, and a form 0 that is missing too says that the type is none of
/// the operator's. MulBelow's form is given without its last source.
VecFn vectorOp(VecOp op, Lane lane, int form);
/// The same for F32 results much larger than the caches, or null where there is none. To be
/// followed by a store fence.
VecFn vectorStream(VecOp op, int form);
/// Null only where `from` or `to` needs a step over F32 (or F64, which keeps to one rounding).
VecFn vectorConvert(Lane from, Lane to);
/// (x, words): x, of type F32 or F64, as F16 or BF16, rounded stochastically (kernels/rounding.hpp)
/// by a random word for each element. Null for other types.
VecFn vectorDraw(Lane from, Lane to);

std::size_t laneBytes(Lane lane);

}  // namespace popir

#endif
