#include "kernels/contraction/requantization.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/check.hpp"

namespace popir {
namespace {

bool isZero(const MapProgram::Value& v) {
  if (v.kind != MapProgram::Kind::Constant) return false;
  float x;
  std::memcpy(&x, &v.data, sizeof x);
  return x == 0;
}

/// Reads a chain of operators from its end to its beginning.
class ChainReader {
 public:
  ChainReader(const Tail& tail, Tail::Extent channels)
      : tail_(tail), channels_(channels), at_(tail.program.outputs().front()) {}

  const MapProgram::Value& value() const { return tail_.program[at_]; }

  /// Goes on to the operand of an operator of one operand. False if there is another one.
  bool skip(VecOp op, Lane from, Lane to) {
    const auto& v = value();
    if (v.kind != MapProgram::Kind::Apply || v.op != op || v.count != 1 || v.from != from ||
        v.lane != to)
      return false;
    at_ = v.args[0];
    return true;
  }

  /// Goes on to the operand of a Relu, the greater one of it and 0. False if there is another operator.
  bool skipRelu() {
    const auto& v = value();
    if (v.kind != MapProgram::Kind::Apply || v.op != VecOp::Max || v.lane != Lane::F32)
      return false;
    for (const int k : {1, 0}) {
      if (!isZero(tail_.program[v.args[static_cast<std::size_t>(k)]])) continue;
      at_ = v.args[static_cast<std::size_t>(1 - k)];
      return true;
    }
    return false;
  }

  /// The term of an operator that has one, which commutes, and goes on to its other operand. Nothing
  /// if there is another operator.
  std::optional<Requantization::Term> term(VecOp op, Lane lane) {
    const auto& v = value();
    if (v.kind != MapProgram::Kind::Apply || v.op != op || v.count != 2 || v.lane != lane ||
        v.from != lane)
      return std::nullopt;
    for (const int k : {1, 0}) {
      const auto& other = tail_.program[v.args[static_cast<std::size_t>(k)]];
      Requantization::Term found;
      if (other.kind == MapProgram::Kind::Constant) {
        found.bits = other.data;
      } else if (other.kind == MapProgram::Kind::Input && other.data != 0 &&
                 (tail_.extents[other.data] == Tail::Extent::Scalar ||
                  tail_.extents[other.data] == channels_)) {
        found.operand = static_cast<std::size_t>(other.data);
        found.hasChannels = tail_.extents[other.data] == channels_;
      } else {
        continue;
      }
      at_ = v.args[static_cast<std::size_t>(1 - k)];
      return found;
    }
    return std::nullopt;
  }

 private:
  const Tail& tail_;
  Tail::Extent channels_;
  int at_;
};

}  // namespace

std::optional<Requantization> requantizationOf(const Tail& tail, Tail::Extent channels) {
  if (tail.program.outputs().size() != 1) return std::nullopt;
  ChainReader reader(tail, channels);
  Requantization made;
  const Lane last = reader.value().lane;
  if (last == Lane::I8 || last == Lane::U8) {
    if (!reader.skip(VecOp::Convert, Lane::F32, last)) return std::nullopt;
    made.to = last == Lane::I8 ? poplar::SIGNED_CHAR : poplar::UNSIGNED_CHAR;
  } else if (last != Lane::F32) {
    return std::nullopt;
  }
  // A sum is with the zero point if what it adds to is rounded.
  auto sum = reader.term(VecOp::Add, Lane::F32);
  if (reader.skip(VecOp::NearbyInt, Lane::F32, Lane::F32)) {
    made.isRounded = true;
    if (sum) made.zero = *sum;
    made.isRectified = reader.skipRelu();
    made.offset = reader.term(VecOp::Add, Lane::F32);
  } else if (made.to != poplar::FLOAT) {
    return std::nullopt;
  } else {
    made.offset = sum;
    if (!sum && (made.isRectified = reader.skipRelu()))
      made.offset = reader.term(VecOp::Add, Lane::F32);
  }
  if (const auto factor = reader.term(VecOp::Mul, Lane::F32)) {
    made.factor = *factor;
  } else {
    constexpr float kOne = 1;
    std::memcpy(&made.factor.bits, &kOne, sizeof kOne);
  }
  if (!reader.skip(VecOp::Convert, Lane::I32, Lane::F32)) return std::nullopt;
  if (const auto bias = reader.term(VecOp::Add, Lane::I32)) made.bias = *bias;
  if (reader.value().kind != MapProgram::Kind::Input || reader.value().data != 0)
    return std::nullopt;
  return made;
}

RequantizationTerms termsOf(const Requantization& made, void* const* operands, std::int64_t channel,
                            std::int64_t n, const std::int32_t* factors, std::int32_t each) {
  RequantizationTerms terms;
  const auto fill = [&](const Requantization::Term& term, auto* to) {
    using T = std::remove_pointer_t<decltype(to)>;
    T number;
    std::memcpy(&number, &term.bits, sizeof number);
    const auto* const from =
        term.operand == 0 ? &number : static_cast<const T*>(operands[term.operand - 1]);
    if (term.hasChannels)
      std::copy_n(from + channel, n, to);
    else
      std::fill_n(to, n, *from);
    std::fill(to + n, to + kMostWordColumns, T(0));
  };
  fill(made.bias, terms.bias);
  fill(made.factor, terms.factor);
  fill(made.zero, terms.zero);
  terms.hasOffset = made.offset.has_value();
  if (made.offset)
    fill(*made.offset, terms.offset);
  else
    std::fill_n(terms.offset, kMostWordColumns, 0.0f);
  if (factors != nullptr)
    for (std::int64_t j = 0; j < n; ++j)  // modulo 2^32, as all sums
      terms.bias[j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(terms.bias[j]) +
                                                static_cast<std::uint32_t>(factors[j]) *
                                                    static_cast<std::uint32_t>(each));
  terms.isRectified = made.isRectified;
  terms.isRounded = made.isRounded;
  terms.isSigned = made.to == poplar::SIGNED_CHAR;
  const float low = terms.isSigned ? -128.0f : 0.0f, high = terms.isSigned ? 127.0f : 255.0f;
  constexpr float kMost = 1 << 20, kGreatest = std::numeric_limits<float>::max();
  constexpr float kSmallFactor = 0.5f, kSmallOffset = 1 << 29, kSmallZero = 512;
  int others = !terms.isRounded, large = 0;
  for (std::int64_t j = 0; j < kMostWordColumns; ++j) {
    const float zero = terms.zero[j];
    const float inRange = zero >= -kMost && zero <= kMost ? zero : 0;
    terms.wholeZero[j] = static_cast<std::int32_t>(inRange);
    terms.low[j] = low - zero;
    terms.high[j] = high - zero;
    others |= static_cast<float>(terms.wholeZero[j]) != zero;
    others |= !(std::abs(terms.factor[j]) <= kGreatest) | !(std::abs(terms.offset[j]) <= kGreatest);
    large |= !(std::abs(terms.factor[j]) <= kSmallFactor) |
             !(std::abs(terms.offset[j]) <= kSmallOffset) | !(std::abs(zero) <= kSmallZero);
  }
  terms.isWhole = others == 0;
  terms.isSmall = terms.isWhole && large == 0;
  return terms;
}

std::int64_t bytesOfResult(const std::optional<Requantization>& made) {
  return made && made->to != poplar::FLOAT ? 1 : sizeof(std::int32_t);
}

std::shared_ptr<const Tail> tailOfSums() {
  auto nothing = std::make_shared<Tail>();
  nothing->program.output(nothing->program.input(0, Lane::I32));
  nothing->extents = {Tail::Extent::Full};
  return nothing;
}

void requireTail(const Tail& tail, Tail::Extent channels, const std::vector<OperandInfo>& operands,
                 std::size_t out, std::int64_t count) {
  const auto made = requantizationOf(tail, channels);
  require(made.has_value(), "its tail is no requantization");
  requireOperand(operands[out], Access::Write, made->to, operands[out].shape);
  const std::size_t first = operands.size() - tail.extents.size();
  const auto term = [&](const Requantization::Term& of, const poplar::Type& type) {
    if (of.operand == 0) return;
    requireOperand(operands[first + of.operand], Access::Read, type, {of.hasChannels ? count : 1});
  };
  term(made->bias, poplar::INT);
  term(made->factor, poplar::FLOAT);
  term(made->zero, poplar::FLOAT);
  if (made->offset) term(*made->offset, poplar::FLOAT);
}

}  // namespace popir
