#include "kernels/elementwise/program.hpp"

#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "kernels/vector/ops.hpp"

namespace popir {

Lane resultLane(VecOp op, Lane from) {
  switch (op) {
    case VecOp::IsFinite:
    case VecOp::IsInf:
    case VecOp::IsNaN:
    case VecOp::Not:
    case VecOp::And:
    case VecOp::Or:
    case VecOp::Equal:
    case VecOp::NotEqual:
    case VecOp::Lt:
    case VecOp::Lte:
    case VecOp::Gt:
    case VecOp::Gte: return Lane::Bool;
    default: return from;
  }
}

bool isRounding(const MapProgram::Value& value) {
  return value.kind == MapProgram::Kind::Apply && value.op == VecOp::Convert &&
         vectorDraw(value.from, value.lane) != nullptr;
}

int MapProgram::add(const Value& value) {
  const auto found = std::find(values_.begin(), values_.end(), value);
  if (found != values_.end()) return static_cast<int>(found - values_.begin());
  if (value.kind == Kind::Input)
    inputCount_ = std::max(inputCount_, static_cast<unsigned>(value.data) + 1);
  if (value.kind == Kind::Apply) {
    const VecFn fn = value.op == VecOp::Convert ? vectorConvert(value.from, value.lane)
                                                : vectorOp(value.op, value.from, 0);
    const void* sources[kMaxSources];
    bool constant = fn != nullptr;
    for (int i = 0; i < value.count; ++i) {
      const Value& arg = values_[static_cast<std::size_t>(value.args[static_cast<std::size_t>(i)])];
      constant = constant && arg.kind == Kind::Constant;
      sources[i] = &arg.data;
    }
    if (constant) {
      Value folded{Kind::Constant, value.lane};
      fn(&folded.data, sources, 1);
      return add(folded);
    }
  }
  values_.push_back(value);
  return static_cast<int>(values_.size()) - 1;
}

int MapProgram::input(unsigned number, Lane lane) {
  Value v{Kind::Input, lane};
  v.data = number;
  return add(v);
}

int MapProgram::constant(Lane lane, std::uint64_t bits) {
  Value v{Kind::Constant, lane};
  std::memcpy(&v.data, &bits, laneBytes(lane));
  return add(v);
}

int MapProgram::apply(VecOp op, Lane from, std::initializer_list<int> args) {
  Value v{Kind::Apply, resultLane(op, from), op, from, static_cast<int>(args.size())};
  std::copy(args.begin(), args.end(), v.args.begin());
  return add(v);
}

int MapProgram::convert(int v, Lane to) {
  const Lane from = (*this)[v].lane;
  if (from == to) return v;
  if (vectorConvert(from, to) == nullptr) {
    // Integers are converted to bfloat16 by way of double, which is exact, so there is one
    // rounding.
    const bool fromSixteen = from == Lane::F16 || from == Lane::BF16;
    const Lane over = to == Lane::BF16 && !fromSixteen ? Lane::F64 : Lane::F32;
    return convert(convert(v, over), to);
  }
  // Drop the round trip from a 16-bit float to float and back, which changes nothing.
  const Value& value = (*this)[v];
  if (value.kind == Kind::Apply && value.op == VecOp::Convert && value.from == to &&
      laneBytes(to) == 2 && value.lane == Lane::F32)
    return value.args[0];
  Value c{Kind::Apply, to, VecOp::Convert, from, 1};
  c.args[0] = v;
  return add(c);
}

MapProgram MapProgram::trimmed() const {
  std::vector<bool> used(values_.size());
  for (int v : outputs_) used[static_cast<std::size_t>(v)] = true;
  for (std::size_t i = values_.size(); i-- > 0;)
    if (used[i])
      for (int a = 0; a < values_[i].count; ++a)
        used[static_cast<std::size_t>(values_[i].args[static_cast<std::size_t>(a)])] = true;
  MapProgram p;
  p.inputCount_ = inputCount_;
  std::vector<int> renamed(values_.size());
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!used[i]) continue;
    Value v = values_[i];
    for (int a = 0; a < v.count; ++a) {
      int& arg = v.args[static_cast<std::size_t>(a)];
      arg = renamed[static_cast<std::size_t>(arg)];
    }
    renamed[i] = static_cast<int>(p.values_.size());
    p.values_.push_back(v);
  }
  for (int v : outputs_) p.outputs_.push_back(renamed[static_cast<std::size_t>(v)]);
  return p;
}

namespace {

bool isConstant(const MapProgram& p, int v) { return p[v].kind == MapProgram::Kind::Constant; }

/// Whether `op` computes value v; not if v is -1.
bool isApply(const MapProgram& p, int v, VecOp op) {
  return v >= 0 && p[v].kind == MapProgram::Kind::Apply && p[v].op == op;
}

/// The value of an F32 constant.
float floatOf(const MapProgram& p, int v) {
  float x;
  std::memcpy(&x, &p[v].data, sizeof x);
  return x;
}

bool isNumber(const MapProgram& p, int v, float x) {
  return isConstant(p, v) && p[v].lane == Lane::F32 && floatOf(p, v) == x;
}

/// Whether a value of Bool asks an integer whether it is NaN.
bool isNever(const MapProgram& p, int v) {
  return isApply(p, v, VecOp::NotEqual) && p[v].args[0] == p[v].args[1] && p[v].from < Lane::F32;
}

VecOp selectBy(VecOp compare) {
  switch (compare) {
    case VecOp::Lt: return VecOp::SelectLt;
    case VecOp::Lte: return VecOp::SelectLte;
    case VecOp::Gt: return VecOp::SelectGt;
    case VecOp::Gte: return VecOp::SelectGte;
    default: return VecOp::Copy;
  }
}

/// Fuses Select(a, b, x < y) to SelectLt, and to ScaleBelow if it is x < bound ? factor * x : x.
MapProgram::Value fuseSelect(const MapProgram& p, const MapProgram::Value& v) {
  const MapProgram::Value& condition = p[v.args[2]];
  if (condition.kind != MapProgram::Kind::Apply || condition.from != Lane::F32 ||
      laneBytes(v.from) != 4)
    return v;
  const VecOp op = selectBy(condition.op);
  if (op == VecOp::Copy) return v;
  const int x = condition.args[0], y = condition.args[1], a = v.args[0], b = v.args[1];
  MapProgram::Value fused = v;
  fused.op = op;
  fused.from = Lane::F32;
  fused.count = 4;
  fused.args = {x, y, a, b};
  if (op != VecOp::SelectLt || !isConstant(p, y) || b != x || !isApply(p, a, VecOp::Mul))
    return fused;
  const MapProgram::Value& scaled = p[a];
  for (std::size_t k : {0u, 1u}) {
    if (scaled.args[1 - k] == x && isConstant(p, scaled.args[k])) {
      fused.op = VecOp::ScaleBelow;
      fused.count = 3;
      fused.args = {x, y, scaled.args[k]};
    }
  }
  return fused;
}

/// Fuses (x < bound ? a : b) * y to MulBelow if a and b are constants.
MapProgram::Value fuseMul(const MapProgram& p, const MapProgram::Value& v) {
  for (std::size_t k : {0u, 1u}) {
    if (v.from != Lane::F32 || !isApply(p, v.args[k], VecOp::SelectLt)) continue;
    const MapProgram::Value& s = p[v.args[k]];
    if (!isConstant(p, s.args[1]) || !isConstant(p, s.args[2]) || !isConstant(p, s.args[3]) ||
        isConstant(p, s.args[0]))
      continue;
    MapProgram::Value fused = v;
    fused.op = VecOp::MulBelow;
    fused.count = 5;
    fused.args = {s.args[0], s.args[1], s.args[2], s.args[3], v.args[1 - k]};
    return fused;
  }
  return v;
}

/// Fuses Atan2(x, 1) to Atan, and Atan2(Sqrt((1 - x) * (1 + x)), x) to Acos.
MapProgram::Value fuseAtan2(const MapProgram& p, const MapProgram::Value& v) {
  const int y = v.args[0], x = v.args[1];
  MapProgram::Value fused = v;
  fused.count = 1;
  fused.args = {};
  if (isNumber(p, x, 1)) {
    fused.op = VecOp::Atan;
    fused.args[0] = y;
    return fused;
  }
  if (!isApply(p, y, VecOp::Sqrt) || !isApply(p, p[y].args[0], VecOp::Mul)) return v;
  const MapProgram::Value& product = p[p[y].args[0]];
  for (std::size_t k : {0u, 1u}) {
    const int below = product.args[k], above = product.args[1 - k];
    if (!isApply(p, below, VecOp::Sub) || !isApply(p, above, VecOp::Add)) continue;
    const auto &less = p[below].args, &more = p[above].args;
    const bool is =
        isNumber(p, less[0], 1) && less[1] == x &&
        ((isNumber(p, more[0], 1) && more[1] == x) || (isNumber(p, more[1], 1) && more[0] == x));
    if (!is) continue;
    fused.op = VecOp::Acos;
    fused.args[0] = x;
    return fused;
  }
  return v;
}

/// The arguments of a binary operator: the one that was looked for and the other one, or -1.
struct Sides {
  int applied = -1, other = -1;
};
/// If `outer` computes value v: the argument that `op` computes, and the other one.
Sides sides(const MapProgram& p, int v, VecOp outer, VecOp op) {
  if (!isApply(p, v, outer) || p[v].from != Lane::F32) return {};
  for (std::size_t k : {0u, 1u})
    if (isApply(p, p[v].args[k], op)) return {p[v].args[k], p[v].args[1 - k]};
  return {};
}
/// If `op` computes value v from the number x and another value: that one, else -1.
int besideNumber(const MapProgram& p, int v, VecOp op, float x) {
  if (!isApply(p, v, op)) return -1;
  for (std::size_t k : {0u, 1u})
    if (isNumber(p, p[v].args[k], x)) return p[v].args[1 - k];
  return -1;
}
/// If value v is a product with a constant: the constant, and the other factor.
Sides factors(const MapProgram& p, int v) {
  if (!isApply(p, v, VecOp::Mul) || p[v].from != Lane::F32) return {};
  for (std::size_t k : {0u, 1u})
    if (isConstant(p, p[v].args[k])) return {p[v].args[k], p[v].args[1 - k]};
  return {};
}

/// The value that `op` makes v of, else -1.
int argumentOf(const MapProgram& p, int v, VecOp op) {
  return isApply(p, v, op) ? p[v].args[0] : -1;
}
/// The other factor, if value v is a product with the constant a, else -1.
int besideFactor(const MapProgram& p, int v, int a) {
  const Sides found = factors(p, v);
  return found.applied == a ? found.other : -1;
}
/// The constant b, if value v is x + b * (x * Square(x)), else -1.
int cubicFactor(const MapProgram& p, int v, int x) {
  const Sides sum = sides(p, v, VecOp::Add, VecOp::Mul);
  const Sides cubic = factors(p, sum.applied);
  const Sides cube = sides(p, cubic.other, VecOp::Mul, VecOp::Square);
  const bool found = sum.other == x && cube.other == x;
  return found && argumentOf(p, cube.applied, VecOp::Square) == x ? cubic.applied : -1;
}

/// Fuses x * Sigmoid(x) to Swish, 0.5 * x * (1 + Erf(a * x)) to GeluErfOf, and
/// 0.5 * x * (1 + Tanh(a * (x + b * (x * Square(x))))) to GeluTanh.
MapProgram::Value fuseGates(const MapProgram& p, const MapProgram::Value& v) {
  if (v.from != Lane::F32) return v;
  for (std::size_t k : {0u, 1u}) {
    const int gate = v.args[k], x = v.args[1 - k];
    MapProgram::Value fused = v;
    if (isApply(p, gate, VecOp::Sigmoid) && p[gate].args[0] == x) {
      fused.op = VecOp::Swish;
      fused.count = 1;
      fused.args = {x};
      return fused;
    }
    const int half = besideNumber(p, x, VecOp::Mul, 0.5f);
    const int curve = besideNumber(p, gate, VecOp::Add, 1.0f);
    if (half < 0 || curve < 0 || p[curve].kind != MapProgram::Kind::Apply) continue;
    const Sides outer = factors(p, p[curve].args[0]);
    if (outer.applied < 0) continue;
    if (p[curve].op == VecOp::Erf && outer.other == half) {
      fused.op = VecOp::GeluErfOf;
      fused.args = {half, outer.applied};
      return fused;
    }
    if (p[curve].op != VecOp::Tanh) continue;
    const int b = cubicFactor(p, outer.other, half);
    if (b < 0) continue;
    fused.op = VecOp::GeluTanh;
    fused.count = 3;
    fused.args = {half, outer.applied, b};
    return fused;
  }
  return v;
}

/// Whether value v is (1 - t^2) (a (1 + b (x^2 + x (2 x)))).
bool isTanhSlope(const MapProgram& p, int v, int t, int a, int b, int x) {
  const Sides outer = sides(p, v, VecOp::Mul, VecOp::Sub);
  if (outer.applied < 0 || !isNumber(p, p[outer.applied].args[0], 1.0f) ||
      argumentOf(p, p[outer.applied].args[1], VecOp::Square) != t)
    return false;
  const int linear = besideNumber(p, besideFactor(p, outer.other, a), VecOp::Add, 1.0f);
  const Sides thrice = sides(p, besideFactor(p, linear, b), VecOp::Add, VecOp::Square);
  const Sides twice = sides(p, thrice.other, VecOp::Mul, VecOp::Mul);
  return argumentOf(p, thrice.applied, VecOp::Square) == x && twice.other == x &&
         besideNumber(p, twice.applied, VecOp::Mul, 2.0f) == x;
}

/// Fuses the derivatives of what fuseGates() fuses to GeluErfOf and GeluTanh, as differentiation
/// writes them: 0.5 * (1 + curve) + 0.5 * x * slope.
MapProgram::Value fuseSlopes(const MapProgram& p, const MapProgram::Value& v) {
  if (v.from != Lane::F32) return v;
  for (std::size_t k : {0u, 1u}) {
    const int sum = besideNumber(p, v.args[k], VecOp::Mul, 0.5f);
    const int curve = besideNumber(p, sum, VecOp::Add, 1.0f);
    if (curve < 0 || p[curve].kind != MapProgram::Kind::Apply) continue;
    const int product = v.args[1 - k], angle = p[curve].args[0];
    const Sides inner = factors(p, angle);
    if (inner.applied < 0 || !isApply(p, product, VecOp::Mul)) continue;
    MapProgram::Value fused = v;
    fused.count = 3;
    for (std::size_t j : {0u, 1u}) {
      const int x = besideNumber(p, p[product].args[j], VecOp::Mul, 0.5f);
      const int slope = p[product].args[1 - j];
      if (x < 0) continue;
      if (p[curve].op == VecOp::Erf && inner.other == x) {
        const Sides density = factors(p, besideFactor(p, slope, inner.applied));
        const int power = argumentOf(p, density.other, VecOp::Exp);
        if (argumentOf(p, argumentOf(p, power, VecOp::Neg), VecOp::Square) != angle) continue;
        fused.op = VecOp::GeluErfSlope;
        fused.args = {x, inner.applied, density.applied};
        return fused;
      }
      const int b = cubicFactor(p, inner.other, x);
      if (p[curve].op != VecOp::Tanh || b < 0) continue;
      if (!isTanhSlope(p, slope, curve, inner.applied, b, x)) continue;
      fused.op = VecOp::GeluTanhSlope;
      fused.args = {x, inner.applied, b};
      return fused;
    }
  }
  return v;
}

/// A constant of an integer type; nothing for other values.
std::optional<std::int64_t> integerOf(const MapProgram& p, int v) {
  if (!isConstant(p, v)) return std::nullopt;
  std::int64_t x = 0;
  std::memcpy(&x, &p[v].data, laneBytes(p[v].lane));
  return laneBytes(p[v].lane) == 4 ? static_cast<std::int32_t>(x) : x;
}

bool isInteger(const MapProgram& p, int v, std::int64_t number) {
  return integerOf(p, v) == number;
}

/// Fuses Select(number, least, counted >= 0 && counted < size) to RowNumber, where `number` is `counted`
/// in I32, times a constant if at all, `counted` is x or Select(x + end, x, x < 0), and all others
/// are constants.
MapProgram::Value fuseRowNumber(MapProgram& p, const MapProgram::Value& v) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
  if (v.from != Lane::I32 || !isInteger(p, v.args[1], kLeast) || !isApply(p, v.args[2], VecOp::And))
    return v;
  const int low = p[v.args[2]].args[0], high = p[v.args[2]].args[1];
  if (!isApply(p, low, VecOp::Gte) || !isApply(p, high, VecOp::Lt)) return v;
  const int counted = p[low].args[0], size = p[high].args[1];
  const Lane lane = p[counted].lane;
  if (p[high].args[0] != counted || integerOf(p, size).value_or(-1) < 0 ||
      !isInteger(p, p[low].args[1], 0) || (lane != Lane::I32 && lane != Lane::I64))
    return v;
  int number = v.args[0], stride = -1;
  if (isApply(p, number, VecOp::Mul) && isConstant(p, p[number].args[1])) {
    stride = p[number].args[1];
    number = p[number].args[0];
  }
  if (lane == Lane::I64 && isApply(p, number, VecOp::Convert)) number = p[number].args[0];
  if (number != counted) return v;
  int x = counted, end = p[low].args[1];
  if (isApply(p, counted, VecOp::Select)) {
    const auto& args = p[counted].args;
    const int above = args[0], given = args[1], below = args[2];
    if (!isApply(p, above, VecOp::Add) || !isApply(p, below, VecOp::Lt) ||
        p[above].args[0] != given || !isConstant(p, p[above].args[1]) ||
        p[below].args[0] != given || !isInteger(p, p[below].args[1], 0))
      return v;
    x = given;
    end = p[above].args[1];
  }
  if (stride < 0) stride = p.constant(Lane::I32, 1);
  MapProgram::Value fused = v;
  fused.op = VecOp::RowNumber;
  fused.from = lane;
  fused.count = 4;
  fused.args = {x, end, size, stride};
  return fused;
}

}  // namespace

MapProgram MapProgram::fused() const {
  MapProgram p;
  p.inputCount_ = inputCount_;
  std::vector<int> renamed;
  renamed.reserve(values_.size());
  for (const Value& old : values_) {
    Value v = old;
    for (int a = 0; a < v.count; ++a) {
      int& arg = v.args[static_cast<std::size_t>(a)];
      arg = renamed[static_cast<std::size_t>(arg)];
    }
    if (v.kind == Kind::Apply && v.op == VecOp::Select) {
      if (isNever(p, v.args[2])) {
        renamed.push_back(v.args[1]);
        continue;
      }
      v = fuseSelect(p, v);
      if (v.op == VecOp::Select) v = fuseRowNumber(p, v);
    }
    if (v.kind == Kind::Apply && v.op == VecOp::Mul) v = fuseMul(p, v);
    if (v.kind == Kind::Apply && v.op == VecOp::Mul) v = fuseGates(p, v);
    if (v.kind == Kind::Apply && v.op == VecOp::Add) v = fuseSlopes(p, v);
    if (v.kind == Kind::Apply && v.op == VecOp::Atan2 && v.from == Lane::F32) v = fuseAtan2(p, v);
    renamed.push_back(p.add(v));
  }
  for (int v : outputs_) p.output(renamed[static_cast<std::size_t>(v)]);
  return p.trimmed();
}

Lane storageLane(const poplar::Type& type) {
  switch (type.kind()) {
    case poplar::Type::Kind::Bool: return Lane::Bool;
    case poplar::Type::Kind::Char:
    case poplar::Type::Kind::SignedChar: return Lane::I8;
    case poplar::Type::Kind::UnsignedChar: return Lane::U8;
    case poplar::Type::Kind::Short: return Lane::I16;
    case poplar::Type::Kind::UnsignedShort: return Lane::U16;
    case poplar::Type::Kind::Int: return Lane::I32;
    case poplar::Type::Kind::UnsignedInt: return Lane::U32;
    case poplar::Type::Kind::Longlong: return Lane::I64;
    case poplar::Type::Kind::UnsignedLonglong: return Lane::U64;
    case poplar::Type::Kind::Half: return Lane::F16;
    case poplar::Type::Kind::Bfloat16: return Lane::BF16;
    case poplar::Type::Kind::Float: return Lane::F32;
    case poplar::Type::Kind::Double: return Lane::F64;
    case poplar::Type::Kind::Quarter:
    case poplar::Type::Kind::Invalid: break;
  }
  throw poputil::poplibs_error("Element-wise operations have no arithmetic for type " +
                               type.toString());
}

Lane computeLane(Lane storage) {
  return storage == Lane::F16 || storage == Lane::BF16 ? Lane::F32 : storage;
}

}  // namespace popir
