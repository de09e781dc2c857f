// The loops for every x86-64 machine (SSE2); see ops.inc.
#include <cstddef>
#include <cstdint>

#include "kernels/vector/ops.hpp"

namespace popir {
namespace {
#include "kernels/vector/ops.inc"
}  // namespace

void fillVecTableBase(VecTable& table) { fillTable(table); }

}  // namespace popir
