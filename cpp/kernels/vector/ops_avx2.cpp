// The loops for AVX2; see ops.inc.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/vector/ops.hpp"

namespace popir {
namespace {
#include "kernels/vector/ops.inc"
}  // namespace

void fillVecTableAvx2(VecTable& table) { fillTable(table); }

}  // namespace popir
