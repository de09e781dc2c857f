// The loops for AVX-512; see ops.inc.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/vector/fused_ops.hpp"

namespace popir {
namespace {
#include "kernels/vector/ops.inc"
}  // namespace

void fillVecTableAvx512(VecTable& table) { fillTable(table); }
void fillFusedTableAvx512(FusedTable& table) { fillFused(table); }

}  // namespace popir
