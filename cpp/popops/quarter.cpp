#include "popops/quarter.hpp"

#include <poplar/MetadataCreation.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <limits>

namespace popir {
namespace {

namespace pe = popops::expr;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

/// A format: bits of the mantissa, and the bias of the exponent.
struct Format {
  unsigned bits;
  int bias;
};
constexpr Format kF143{3, 8}, kF152{2, 16};
constexpr int kFloatBits = 23, kFloatBias = 127;
constexpr unsigned kNaN = 0x80, kSign = 0x80, kMagnitude = 0x7f;

pe::Const whole(unsigned n) { return pe::Const(n); }
pe::Const real(int exponent) { return pe::Const(std::ldexp(1.0f, exponent)); }

/// What the metadata of a tensor say: the scale's power of two, its reciprocal, and F152 or not.
struct Meaning {
  Tensor factor, reciprocal, isF152;
};

Meaning meaningOf(Graph& graph, const Tensor& t, Sequence& prog, const DebugContext& debugContext) {
  const Tensor byte = popops::cast(graph, graph.getMetadata(t), poplar::UNSIGNED_INT, prog);
  // 6 bits with a sign: flipping the highest adds 32. 2^s has s + the bias in its exponent.
  const auto scale = pe::BitwiseXor(pe::BitwiseAnd(pe::_1, whole(0x3f)), whole(0x20));
  const auto power = [&](const pe::Expr& exponent) {
    return popops::map(graph, pe::Shl(exponent, whole(kFloatBits)), {byte}, prog, debugContext)
        .reinterpret(poplar::FLOAT);
  };
  const auto flag = pe::Equal(pe::BitwiseAnd(pe::_1, whole(0x80)), whole(0));
  return {power(pe::Add(scale, whole(kFloatBias - 32))),
          power(pe::Sub(whole(kFloatBias + 32), scale)),
          popops::map(graph, flag, {byte}, prog, debugContext)};
}

/// The size of the numbers `code`, UNSIGNED_INT without sign.
Tensor sizes(Graph& graph, const Tensor& code, const Format& f, Sequence& prog,
             const DebugContext& debugContext) {
  const auto shift = whole(kFloatBits - f.bits);
  const auto exponent = whole(static_cast<unsigned>(kFloatBias - f.bias) << kFloatBits);
  const Tensor normal =
      popops::map(graph, pe::Add(pe::Shl(pe::_1, shift), exponent), {code}, prog, debugContext)
          .reinterpret(poplar::FLOAT);
  const auto small =
      pe::Mul(pe::Cast(pe::_1, poplar::FLOAT), real(1 - f.bias - static_cast<int>(f.bits)));
  return popops::map(graph, pe::Select(pe::_2, small, pe::Gte(pe::_1, whole(1U << f.bits))),
                     {code, normal}, prog, debugContext);
}

/// The numbers nearest to `size`, FLOAT of at least 0, as UNSIGNED_INT; above 0x7f where there is
/// none.
Tensor codes(Graph& graph, const Tensor& size, const Format& f, Sequence& prog,
             const DebugContext& debugContext) {
  const int bits = static_cast<int>(f.bits), least = 1 - f.bias;
  const unsigned shift = static_cast<unsigned>(kFloatBits - bits);
  // Half of the last place, and a little less where it would round up to an odd number.
  const auto odd = pe::BitwiseAnd(pe::Shr(pe::_1, whole(shift)), whole(1));
  const auto rounded =
      pe::Shr(pe::Add(pe::Add(pe::_1, whole((1U << (shift - 1)) - 1)), odd), whole(shift));
  const auto normal = pe::Sub(rounded, whole(static_cast<unsigned>(kFloatBias - f.bias) << f.bits));
  // Denormals: a sum with 2^23 of their last place has no bits below that.
  const auto magic = pe::Const(1.5f * std::ldexp(1.0f, kFloatBits + least - bits));
  const Tensor sum = popops::map(graph, pe::Add(pe::_1, magic), {size}, prog, debugContext);
  const auto units = pe::Mul(pe::Sub(pe::_3, magic), real(bits - least));
  return popops::map(
      graph,
      pe::Select(normal, pe::Cast(units, poplar::UNSIGNED_INT), pe::Gte(pe::_2, real(least))),
      {size.reinterpret(poplar::UNSIGNED_INT), size, sum}, prog, debugContext);
}

}  // namespace

Tensor fromQuarter(Graph& graph, const Tensor& src, Sequence& prog,
                   const DebugContext& debugContext) {
  const Meaning meaning = meaningOf(graph, src, prog, debugContext);
  const Tensor byte = popops::cast(graph, src.reinterpret(poplar::UNSIGNED_CHAR),
                                   poplar::UNSIGNED_INT, prog, debugContext);
  const Tensor code =
      popops::map(graph, pe::BitwiseAnd(pe::_1, whole(kMagnitude)), {byte}, prog, debugContext);
  const auto size = pe::Select(pe::_2, pe::_1, pe::_3);
  const auto isNegative = pe::Gte(pe::_5, whole(kSign));
  const auto scaled = pe::Mul(size, pe::_4);
  const auto nan = pe::Const(std::numeric_limits<float>::quiet_NaN());
  return popops::map(
      graph,
      pe::Select(nan, pe::Select(pe::Neg(scaled), scaled, isNegative),
                 pe::Equal(pe::_5, whole(kNaN))),
      {sizes(graph, code, kF143, prog, debugContext), sizes(graph, code, kF152, prog, debugContext),
       meaning.isF152, meaning.factor, byte},
      prog, debugContext);
}

void toQuarter(Graph& graph, const Tensor& src, const Tensor& dst, Sequence& prog,
               const DebugContext& debugContext) {
  const Meaning meaning = meaningOf(graph, dst, prog, debugContext);
  const Tensor size = popops::map(graph, pe::Mul(pe::Abs(pe::_1), pe::_2),
                                  {src, meaning.reciprocal}, prog, debugContext);
  const auto code = pe::Select(pe::_2, pe::_1, pe::_3);
  const auto fits = pe::And(pe::Lte(code, whole(kMagnitude)), pe::Equal(pe::_4, pe::_4));
  const auto sign = pe::Select(whole(kSign), whole(0),
                               pe::And(pe::Lt(pe::_4, pe::Const(0.0f)), pe::Gt(code, whole(0))));
  const Tensor byte =
      popops::map(graph, pe::Select(pe::BitwiseOr(code, sign), whole(kNaN), fits),
                  {codes(graph, size, kF143, prog, debugContext),
                   codes(graph, size, kF152, prog, debugContext), meaning.isF152, src},
                  prog, debugContext);
  popops::castWithOutput(graph, byte, dst.reinterpret(poplar::UNSIGNED_CHAR), prog, debugContext);
}

}  // namespace popir

namespace poplar {

Tensor createConstantMetadataTensor(Graph& graph, QuarterMetadata::Format fmt, int scale,
                                    const DebugContext& debugContext) {
  const auto byte = QuarterMetadata(fmt, scale).getBinary();
  const auto t = graph.addConstant<unsigned char>(UNSIGNED_CHAR, {}, {byte}, debugContext);
  graph.setTileMapping(t, 0);
  return t;
}

Tensor createVariableMetadataTensor(Graph& graph, QuarterMetadata::Format fmt, int scale,
                                    program::Sequence& prog, const DebugContext& debugContext) {
  const auto value = createConstantMetadataTensor(graph, fmt, scale, debugContext);
  const auto t = graph.clone(value, debugContext);
  prog.add(program::Copy(value, t));
  return t;
}

Tensor createVariableMetadataTensor(Graph& graph, QuarterMetadata::Format fmt, const Tensor& scale,
                                    program::Sequence& prog, const DebugContext& debugContext) {
  if (scale.numElements() != 1)
    throw poputil::poplibs_error("createVariableMetadataTensor: a scale of " +
                                 scale.shapeToString() + "; expected one element");
  namespace pe = popops::expr;
  const auto bits = popops::cast(graph, scale.reshape({}), UNSIGNED_INT, prog, debugContext);
  const auto format = pe::Const(static_cast<unsigned>(QuarterMetadata(fmt, 0).getBinary()));
  const auto byte =
      popops::map(graph, pe::BitwiseOr(pe::BitwiseAnd(pe::_1, pe::Const(0x3fU)), format), {bits},
                  prog, debugContext);
  return popops::cast(graph, byte, UNSIGNED_CHAR, prog, debugContext);
}

}  // namespace poplar
