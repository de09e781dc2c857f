#include "kernels/elementwise/pairs.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include "kernels/vector/ops.hpp"

namespace popir {
namespace {

using Value = MapProgram::Value;

class Pairs {
 public:
  Pairs(const MapProgram& program, const std::vector<bool>& uniform, bool draws)
      : values_(program.values()), uniform_(uniform), draws_(draws), uses_(values_.size(), 0) {
    for (const Value& v : values_)
      for (int i = 0; i < v.count; ++i) ++uses_[at(v.args[at(i)])];
    for (const int v : program.outputs()) ++uses_[at(v)];
  }

  std::vector<Value> run() {
    for (std::size_t v = 0; v < uniform_.size(); ++v) {
      const Value& value = values_[v];
      if (value.kind != MapProgram::Kind::Apply || value.from != Lane::F32 || uniform_[v]) continue;
      const auto pair = joined(value);
      if (!pair) continue;
      const Value found = ofBytes(*pair);  // which may add a value
      values_[v] = found;
    }
    return std::move(values_);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  std::optional<Value> joined(const Value& value) const {
    const int a = value.args[0], b = value.args[1];
    switch (value.op) {
      case VecOp::Add:
        if (auto both = blend(a, b)) return both;
        if (isInner(a, VecOp::Mul)) return product(VecOp::MulAdd, a, {b});
        if (isInner(b, VecOp::Mul)) return product(VecOp::MulAdd, b, {a});
        break;
      case VecOp::Sub:
        if (isInner(b, VecOp::Mul) && !uniform_[at(a)]) return product(VecOp::SubProduct, b, {a});
        break;
      case VecOp::Mul:
        if (isInner(a, VecOp::Sub)) return fromBytes(difference(VecOp::SubMul, a, {b}));
        if (isInner(b, VecOp::Sub)) return fromBytes(difference(VecOp::SubMul, b, {a}));
        if (isWidened(a) && uniform_[at(b)]) return dequantized(a, {b});
        if (isWidened(b) && uniform_[at(a)]) return dequantized(b, {a});
        break;
      case VecOp::Divide: return byRoot(a, b);
      case VecOp::Square:
        if (isInner(a, VecOp::Sub)) return difference(VecOp::SubSquare, a, {});
        break;
      case VecOp::Exp:
        if (isInner(a, VecOp::Sub)) return difference(VecOp::SubExp, a, {});
        break;
      case VecOp::Max:
        for (const int k : {0, 1})
          if (auto bounds = between(value, k, VecOp::Min)) return bounds;
        break;
      case VecOp::Min:
        for (const int k : {0, 1})
          if (auto bounds = between(value, k, VecOp::Max)) return bounds;
        break;
      case VecOp::Convert:
        return laneBytes(value.lane) == 2 && value.lane >= Lane::F16 ? halved(value)
                                                                     : quantized(value);
      default: break;
    }
    return std::nullopt;
  }

  /// Whether only one operator uses the value, an array of bytes as floats.
  bool isWidened(int v) const {
    const Value& value = values_[at(v)];
    return uses_[at(v)] == 1 && !uniform_[at(v)] && value.kind == MapProgram::Kind::Apply &&
           value.op == VecOp::Convert && value.lane == Lane::F32 &&
           (value.from == Lane::I8 || value.from == Lane::U8);
  }

  /// Dequantize of what is widened to `v`, by a scale, and a zero point if there is one.
  Value dequantized(int v, std::vector<int> more) const {
    const Value& wide = values_[at(v)];
    Value value = made(VecOp::Dequantize, wide.args[0], more[0], {more.begin() + 1, more.end()});
    value.from = wide.from;
    return value;
  }
  /// Dequantize in place of a SubMul of bytes and two numbers.
  std::optional<Value> fromBytes(std::optional<Value> value) const {
    if (!value || !isWidened(value->args[0]) || !uniform_[at(value->args[1])] ||
        !uniform_[at(value->args[2])])
      return value;
    return dequantized(value->args[0], {value->args[2], value->args[1]});
  }

  /// Blend of two products of an array and a scalar.
  std::optional<Value> blend(int one, int other) const {
    if (!isInner(one, VecOp::Mul) || !isInner(other, VecOp::Mul)) return std::nullopt;
    std::vector<int> args;
    for (const int v : {one, other}) {
      const auto& factors = values_[at(v)].args;
      const bool isFirst = uniform_[at(factors[0])];
      if (isFirst == uniform_[at(factors[1])]) return std::nullopt;
      args.push_back(factors[isFirst ? 1 : 0]);
      args.push_back(factors[isFirst ? 0 : 1]);
    }
    return made(VecOp::Blend, args[0], args[1], {args[2], args[3]});
  }

  /// DivideByRoot of an array and the sum of a root and a scalar.
  std::optional<Value> byRoot(int x, int sum) const {
    if (uniform_[at(x)] || !isInner(sum, VecOp::Add)) return std::nullopt;
    const auto& args = values_[at(sum)].args;
    for (const int k : {0, 1}) {
      const int root = args[at(k)], more = args[at(1 - k)];
      if (isInner(root, VecOp::Sqrt) && uniform_[at(more)])
        return made(VecOp::DivideByRoot, x, values_[at(root)].args[0], {more});
    }
    return std::nullopt;
  }

  /// An operator of 16-bit floats in place of one of floats that these were widened to, and whose
  /// result is rounded to them.
  std::optional<Value> halved(const Value& value) const {
    const Value& wide = values_[at(value.args[0])];
    if (draws_ || !isInner(value.args[0], wide.op) || wide.lane != Lane::F32 ||
        vectorHalf(wide.op, value.lane, 0, false) == nullptr)
      return std::nullopt;
    Value joined = wide;
    joined.lane = joined.from = value.lane;
    for (int i = 0; i < wide.count; ++i) {
      if (uniform_[at(wide.args[at(i)])]) continue;  // a float
      const Value& arg = values_[at(wide.args[at(i)])];
      if (arg.kind != MapProgram::Kind::Apply || arg.op != VecOp::Convert || arg.from != value.lane)
        return std::nullopt;
      joined.args[at(i)] = arg.args[0];
    }
    return joined;
  }

  /// Quantize of an array that is divided by a number, rounded, added to a number if at all, and
  /// converted; RoundTo of one that is not divided.
  std::optional<Value> quantized(const Value& value) const {
    if (vectorQuantize(value.lane, false) == nullptr) return std::nullopt;
    int rounded = value.args[0], zero = -1;
    if (isInner(rounded, VecOp::Add)) {
      const auto& args = values_[at(rounded)].args;
      const bool second = uniform_[at(args[1])];
      rounded = args[second ? 0 : 1];
      zero = args[second ? 1 : 0];
      if (!uniform_[at(zero)]) return std::nullopt;
    }
    if (!isInner(rounded, VecOp::NearbyInt)) return std::nullopt;
    const int quotient = values_[at(rounded)].args[0];
    Value joined{MapProgram::Kind::Apply, value.lane, VecOp::RoundTo, Lane::F32, 1, {quotient}};
    if (isInner(quotient, VecOp::Divide)) {
      const auto& args = values_[at(quotient)].args;
      if (!uniform_[at(args[0])] && uniform_[at(args[1])]) {
        joined = made(VecOp::Quantize, args[0], args[1], {});
        joined.lane = value.lane;
      }
    }
    if (zero >= 0) joined.args[at(joined.count++)] = zero;
    return joined;
  }

  /// QuantizedSum or QuantizedProduct in place of Quantize to bytes of the sum or the product of bytes
  /// as floats.
  Value ofBytes(const Value& value) {
    if (value.op != VecOp::Quantize) return value;
    const int v = value.args[0];
    const bool isSum = isInner(v, VecOp::Add);
    if (!isSum && !isInner(v, VecOp::Mul)) return value;
    const VecOp op = isSum ? VecOp::QuantizedSum : VecOp::QuantizedProduct;
    Value both{MapProgram::Kind::Apply, value.lane, op, Lane::F32, 8};
    for (const int k : {0, 1}) {
      const int side = values_[at(v)].args[at(k)];
      if (uses_[at(side)] != 1) return value;
      const Value& wide = values_[at(side)];
      if (wide.kind != MapProgram::Kind::Apply || wide.op != VecOp::Dequantize) return value;
      both.args[at(k)] = wide.args[0];
      both.args[at(2 + 2 * k)] = wide.args[1];
      both.args[at(3 + 2 * k)] = wide.count == 3 ? wide.args[2] : zero();
    }
    both.args[6] = value.args[1];
    both.args[7] = value.count == 3 ? value.args[2] : zero();
    const auto lane = [&](int k) { return values_[at(both.args[at(k)])].lane; };
    both.from = lane(0);
    return vectorPair(op, lane(0), lane(1), both.lane) == nullptr ? value : both;
  }
  /// The number 0, which is added at the end if it is not there.
  int zero() {
    Value number{MapProgram::Kind::Constant, Lane::F32};
    for (std::size_t v = 0; v < values_.size(); ++v)
      if (values_[v] == number) return static_cast<int>(v);
    values_.push_back(number);
    return static_cast<int>(values_.size()) - 1;
  }

  /// Clamp(x, low, high) of Max(low, Min(high, x)) and Min(high, Max(low, x)), whose argument k is a
  /// number, for low <= high. Of two zeros Max and Min take the right one, and Clamp that of x, so
  /// that no zero may stand on the right.
  std::optional<Value> between(const Value& value, int k, VecOp other) const {
    const int bound = value.args[at(k)], inside = value.args[at(1 - k)];
    if (!isNumber(bound) || (k == 1 && numberOf(bound) == 0) || !isInner(inside, other))
      return std::nullopt;
    const auto& args = values_[at(inside)].args;
    for (const int j : {0, 1}) {
      const int inner = args[at(j)], x = args[at(1 - j)];
      if (!isNumber(inner) || (j == 1 && numberOf(inner) == 0) || uniform_[at(x)]) continue;
      const int low = value.op == VecOp::Max ? bound : inner;
      const int high = value.op == VecOp::Max ? inner : bound;
      if (numberOf(low) <= numberOf(high)) return made(VecOp::Clamp, x, low, {high});
    }
    return std::nullopt;
  }

  bool isNumber(int v) const { return values_[at(v)].kind == MapProgram::Kind::Constant; }
  float numberOf(int v) const {
    float x;
    std::memcpy(&x, &values_[at(v)].data, sizeof x);
    return x;
  }

  /// Whether only one operator uses the value, an array that `op` computes in F32.
  bool isInner(int v, VecOp op) const {
    const Value& value = values_[at(v)];
    return uses_[at(v)] == 1 && !uniform_[at(v)] && value.kind == MapProgram::Kind::Apply &&
           value.op == op && value.from == Lane::F32;
  }

  /// The operator on the factors of the product, an array first, and on `more`.
  std::optional<Value> product(VecOp op, int v, std::vector<int> more) const {
    const int x = values_[at(v)].args[0], a = values_[at(v)].args[1];
    return uniform_[at(x)] ? made(op, a, x, more) : made(op, x, a, more);
  }
  /// The operator on both sides of the difference, unless the first one is a scalar, and on `more`.
  std::optional<Value> difference(VecOp op, int v, std::vector<int> more) const {
    const auto& args = values_[at(v)].args;
    if (uniform_[at(args[0])]) return std::nullopt;
    return made(op, args[0], args[1], more);
  }
  static Value made(VecOp op, int x, int a, const std::vector<int>& more) {
    Value value{MapProgram::Kind::Apply, Lane::F32, op, Lane::F32, 2, {x, a}};
    for (const int each : more) value.args[at(value.count++)] = each;
    return value;
  }

  std::vector<Value> values_;
  const std::vector<bool>& uniform_;
  bool draws_;
  std::vector<int> uses_;
};

}  // namespace

MapProgram paired(const MapProgram& program, const std::vector<bool>& uniform, bool draws) {
  return {Pairs(program, uniform, draws).run(), program.outputs(), program.inputCount()};
}

}  // namespace popir
