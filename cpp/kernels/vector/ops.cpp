#include "kernels/vector/ops.hpp"

#include "kernels/vector/isa.hpp"

namespace popir {

// Each function sets the entries for which it has loops. Defined in ops_*.cpp.
void fillVecTableBase(VecTable& table);
void fillVecTableAvx2(VecTable& table);
void fillVecTableAvx512(VecTable& table);

namespace {

VecTable makeTable() {
  VecTable table{};
  fillVecTableBase(table);
  if (isa() == Isa::Avx2) fillVecTableAvx2(table);
  if (isa() == Isa::Avx512) fillVecTableAvx512(table);
  return table;
}

const VecTable& table() {
  static const VecTable t = makeTable();
  return t;
}

}  // namespace

VecFn vectorOp(VecOp op, Lane lane, int form) {
  return table().fn[static_cast<int>(op)][static_cast<int>(lane)][form];
}

VecFn vectorStream(VecOp op, int form) { return table().stream[static_cast<int>(op)][form]; }

VecFn vectorHalf(VecOp op, Lane lane, int form, bool past) {
  if (lane != Lane::F16 && lane != Lane::BF16) return nullptr;
  return table().half[lane == Lane::BF16][past][static_cast<int>(op)][form];
}

VecFn vectorConvert(Lane from, Lane to) {
  return table().convert[static_cast<int>(from)][static_cast<int>(to)];
}

VecFn vectorQuantize(Lane to, bool zero) { return table().quantize[static_cast<int>(to)][zero]; }

VecFn vectorRoundTo(Lane to, bool zero) { return table().round[static_cast<int>(to)][zero]; }

VecFn vectorPair(VecOp op, Lane x, Lane y, Lane to) {
  const auto isByte = [](Lane lane) { return lane == Lane::I8 || lane == Lane::U8; };
  if (!isByte(x) || !isByte(y) || !isByte(to)) return nullptr;
  return table().pairs[x == Lane::I8][y == Lane::I8][to == Lane::I8][op == VecOp::QuantizedProduct];
}

VecFn vectorLookup() { return table().lookup; }

VecFn vectorDraw(Lane from, Lane to) {
  if ((from != Lane::F32 && from != Lane::F64) || (to != Lane::F16 && to != Lane::BF16))
    return nullptr;
  return table().draw[from == Lane::F64][to == Lane::BF16];
}

std::size_t laneBytes(Lane lane) {
  switch (lane) {
    case Lane::Bool:
    case Lane::I8:
    case Lane::U8: return 1;
    case Lane::I16:
    case Lane::U16:
    case Lane::F16:
    case Lane::BF16: return 2;
    case Lane::I32:
    case Lane::U32:
    case Lane::F32: return 4;
    case Lane::I64:
    case Lane::U64:
    case Lane::F64: return 8;
  }
  return 0;
}

}  // namespace popir
