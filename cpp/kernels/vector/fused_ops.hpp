// Loops that stand for several operators of an element-wise program and have no place in VecTable: on
// 16-bit floats, and of indices.
#ifndef popir_kernels_vector_fused_ops_hpp
#define popir_kernels_vector_fused_ops_hpp

#include "kernels/vector/ops.hpp"

namespace popir {

/// An operator that occurs in MapPrograms that run, beside those of VecOp: (x, end, size, stride) is x,
/// plus `end` if it is negative, times `stride` in I32, or the least number of I32 if that is not
/// within [0, size). All but x are scalars: form 14.
constexpr VecOp kRowNumber = static_cast<VecOp>(kVecOps);

struct FusedTable {
  /// [whether BF16][whether past the caches]
  VecFn half[2][2][kVecOps][kForms];
  /// [whether I64]
  VecFn rowNumber[2];
};

/// The loop of an operator of float on F16 or BF16: it widens its operands and rounds the result, as
/// conversions before and after it would; with `past` by non-temporal stores. Scalars are F32. Null if
/// there is none; where there is one of two operands, there is one for each place of a scalar, or that
/// on the right of an operator whose operands may change places.
VecFn vectorHalf(VecOp op, Lane lane, int form, bool past);
/// The loop of kRowNumber, for indices of I32 or I64.
VecFn vectorRowNumber(Lane lane);

}  // namespace popir

#endif
