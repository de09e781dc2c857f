// The loops for AVX2; see ops.inc.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/vector/fused_ops.hpp"

namespace popir {
namespace {
#include "kernels/vector/ops.inc"
}  // namespace

void fillVecTableAvx2(VecTable& table) { fillTable(table); }
void fillFusedTableAvx2(FusedTable& table) { fillFused(table); }

}  // namespace popir
