#include "kernels/contraction/requantization.hpp"

namespace popir {
namespace {

/// Reads a chain of operators from its end to its beginning.
class ChainReader {
 public:
  explicit ChainReader(const Tail& tail) : tail_(tail), at_(tail.program.outputs().front()) {}

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
                 tail_.extents[other.data] != Tail::Extent::Full) {
        found.operand = static_cast<std::size_t>(other.data);
        found.hasChannels = tail_.extents[other.data] == Tail::Extent::Channel;
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
  int at_;
};

}  // namespace

std::optional<Requantization> requantizationOf(const Tail& tail) {
  if (tail.program.outputs().size() != 1) return std::nullopt;
  ChainReader reader(tail);
  Requantization made;
  made.isSigned = reader.value().lane == Lane::I8;
  if (!reader.skip(VecOp::Convert, Lane::F32, made.isSigned ? Lane::I8 : Lane::U8))
    return std::nullopt;
  if (const auto zero = reader.term(VecOp::Add, Lane::F32)) made.zero = *zero;
  if (!reader.skip(VecOp::NearbyInt, Lane::F32, Lane::F32)) return std::nullopt;
  const auto factor = reader.term(VecOp::Mul, Lane::F32);
  if (!factor || !reader.skip(VecOp::Convert, Lane::I32, Lane::F32)) return std::nullopt;
  made.factor = *factor;
  if (const auto bias = reader.term(VecOp::Add, Lane::I32)) made.bias = *bias;
  if (reader.value().kind != MapProgram::Kind::Input || reader.value().data != 0)
    return std::nullopt;
  return made;
}

}  // namespace popir
