// Activation functions are expressions, so that they can be fused with adjacent operations. Softmax
// has its own kernel.
#include <popir/Softmax.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include "kernels/half.hpp"

namespace popnn {
namespace {

using namespace popops::expr;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

constexpr float kSoftmaxScale = 62000.0f;  // the largest HALF is 65504

constexpr double kRootTwoOverPi = 0.79788456080286535588;
constexpr double kCubic = 0.044715;
constexpr double kRootHalf = 0.70710678118654752440;
constexpr double kOneOverRootTwoPi = 0.39894228040143267794;

bool isSoftmax(NonLinearityType type) {
  return type == NonLinearityType::SOFTMAX || type == NonLinearityType::SOFTMAX_STABLE ||
         type == NonLinearityType::SOFTMAX_SCALED;
}

void check(const Tensor& t) {
  const auto type = t.elementType();
  if (!popir::isFloatOrHalf(type) && type != poplar::DOUBLE)
    throw poputil::poplibs_error("nonLinearity of " + type.toString() + " " + t.shapeToString() +
                                 "; give FLOAT, HALF, BFLOAT16 or DOUBLE elements");
}

/// The argument of tanh in GELU.
Any geluInner(const Expr& x) {
  return Any(Const(kRootTwoOverPi) * x * (Const(1.0) + Const(kCubic) * Square(x)));
}

/// The function, of _1.
Any function(NonLinearityType type) {
  switch (type) {
    case NonLinearityType::SIGMOID: return Sigmoid(_1);
    case NonLinearityType::HARD_SIGMOID:
      return Clamp(Const(0.2) * _1 + Const(0.5), Const(0.0), Const(1.0));
    case NonLinearityType::RELU: return Relu(_1);
    case NonLinearityType::TANH: return Tanh(_1);
    case NonLinearityType::GELU: return Const(0.5) * _1 * (Const(1.0) + Tanh(geluInner(_1)));
    case NonLinearityType::GELU_ERF: return GeluErf(_1);
    case NonLinearityType::SWISH: return _1 * Sigmoid(_1);
    default:
      throw poputil::poplibs_error("nonLinearity: type " + std::to_string(static_cast<int>(type)) +
                                   " is unknown");
  }
}

/// The gradient of the input. _1 is `act`, _2 the gradient of the output.
Any gradient(NonLinearityType type) {
  const Const one(1.0), zero(0.0), half(0.5);
  switch (type) {
    case NonLinearityType::SIGMOID: return _2 * _1 * (one - _1);
    case NonLinearityType::HARD_SIGMOID:
      return Select(_2 * Const(0.2), zero, _1 > zero && _1 < one);
    case NonLinearityType::RELU: return Select(_2, zero, _1 > zero);
    case NonLinearityType::TANH: return _2 * (one - Square(_1));
    case NonLinearityType::GELU: {
      const Any t = Tanh(geluInner(_1));
      const Any inner(Const(kRootTwoOverPi) * (one + Const(3 * kCubic) * Square(_1)));
      return _2 * (half * (one + t) + half * _1 * (one - Square(t)) * inner);
    }
    case NonLinearityType::GELU_ERF: {
      const Any cumulative(half * (one + Erf(_1 * Const(kRootHalf))));
      const Any density(Const(kOneOverRootTwoPi) * Exp(Const(-0.5) * Square(_1)));
      return _2 * (cumulative + _1 * density);
    }
    case NonLinearityType::SWISH: {
      const Any s = Sigmoid(_1);
      return _2 * (s + _1 * s * (one - s));
    }
    default: return function(type);  // throws: there is none
  }
}

/// The option of popops::map for an activation that PopLibs has a vertex of its own for, or for its
/// gradient.
poplar::OptionFlags costs(NonLinearityType type, bool isGradient) {
  const char* name = "expression";
  switch (type) {
    case NonLinearityType::SWISH: name = isGradient ? "swishGrad" : "swish"; break;
    case NonLinearityType::GELU: name = isGradient ? "geluGrad" : "gelu"; break;
    case NonLinearityType::GELU_ERF: name = isGradient ? "geluErfGrad" : name; break;
    case NonLinearityType::RELU: name = isGradient ? "reluGrad" : name; break;
    case NonLinearityType::SIGMOID: name = isGradient ? "sigmoidGrad" : name; break;
    case NonLinearityType::TANH: name = isGradient ? "tanhGrad" : name; break;
    default: break;
  }
  return {{"costedAs", name}};
}

float scaleOf(NonLinearityType type) {
  return type == NonLinearityType::SOFTMAX_SCALED ? kSoftmaxScale : 1.0f;
}

}  // namespace

Tensor nonLinearity(Graph& graph, NonLinearityType nonLinearityType, Tensor t, Sequence& prog,
                    const DebugContext& debugContext) {
  if (isSoftmax(nonLinearityType))
    return popir::softmax(graph, t, prog, debugContext, scaleOf(nonLinearityType));
  check(t);
  return popops::map(graph, function(nonLinearityType), {t}, prog, {debugContext, "NonLinearity"},
                     costs(nonLinearityType, false));
}

Tensor nonLinearity(Graph& graph, NonLinearityType nonLinearityType, Tensor t,
                    float& nonLinearityScaling, Sequence& prog, const DebugContext& debugContext) {
  nonLinearityScaling = scaleOf(nonLinearityType);
  return nonLinearity(graph, nonLinearityType, t, prog, debugContext);
}

void nonLinearityInPlace(Graph& graph, NonLinearityType nonLinearityType, Tensor t, Sequence& prog,
                         const DebugContext& debugContext) {
  if (isSoftmax(nonLinearityType))
    return popir::softmaxInPlace(graph, t, prog, debugContext, scaleOf(nonLinearityType));
  check(t);
  popops::mapInPlace(graph, function(nonLinearityType), {t}, prog, {debugContext, "NonLinearity"},
                     costs(nonLinearityType, false));
}

void nonLinearityInPlace(Graph& graph, NonLinearityType nonLinearityType, Tensor t,
                         float& nonLinearityScaling, Sequence& prog,
                         const DebugContext& debugContext) {
  nonLinearityScaling = scaleOf(nonLinearityType);
  nonLinearityInPlace(graph, nonLinearityType, t, prog, debugContext);
}

Tensor nonLinearityInputGradient(Graph& graph, NonLinearityType nonLinearityType, Tensor act,
                                 Tensor outGradient, Sequence& prog,
                                 const DebugContext& debugContext) {
  if (nonLinearityType == NonLinearityType::SOFTMAX_SCALED)
    throw poputil::poplibs_error(
        "nonLinearityInputGradient: SOFTMAX_SCALED has no gradient here; divide by the scale, and "
        "use SOFTMAX");
  if (isSoftmax(nonLinearityType))
    return popir::softmaxGrad(graph, act, outGradient, prog, debugContext);
  check(act);
  if (act.shape() != outGradient.shape() || act.elementType() != outGradient.elementType())
    throw poputil::poplibs_error("nonLinearityInputGradient: act is " +
                                 act.elementType().toString() + " " + act.shapeToString() +
                                 ", outGradient " + outGradient.elementType().toString() + " " +
                                 outGradient.shapeToString() + "; give one shape and type");
  return popops::map(graph, gradient(nonLinearityType), {act, outGradient}, prog,
                     {debugContext, "NonLinearityGrad"}, costs(nonLinearityType, true));
}

}  // namespace popnn
