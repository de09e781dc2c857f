// Lowerings of unary operators that are expressions, with their attributes.
#include <popart/op/clip.hpp>
#include <popart/op/elu.hpp>
#include <popart/op/hardsigmoid.hpp>
#include <popart/op/leakyrelu.hpp>
#include <popart/op/scale.hpp>
#include <popart/op/selu.hpp>
#include <popart/op/shrink.hpp>
#include <popart/op/thresholdedrelu.hpp>
#include <popart/popx/op/clipx.hpp>
#include <popart/popx/op/elux.hpp>
#include <popart/popx/op/geluerfx.hpp>
#include <popart/popx/op/gelux.hpp>
#include <popart/popx/op/hardsigmoidx.hpp>
#include <popart/popx/op/leakyrelux.hpp>
#include <popart/popx/op/scalex.hpp>
#include <popart/popx/op/selux.hpp>
#include <popart/popx/op/shrinkx.hpp>
#include <popart/popx/op/sinhx.hpp>
#include <popart/popx/op/softsignx.hpp>
#include <popart/popx/op/swishx.hpp>
#include <popart/popx/op/thresholdedrelux.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>

namespace popart {
namespace popx {

namespace {

namespace pe = popops::expr;

/// \throws error if the operator is not an OP
template <class OP>
const OP& attributesOf(const Op* op) {
  if (const OP* found = dynamic_cast<const OP*>(op)) return *found;
  throw error("The Opx of {} asked for an operator of another class", op->debugName());
}

// ---- What is computed, in place or not

auto eluOf(float alpha) {
  return pe::Select(pe::Mul(pe::Const(alpha), pe::Expm1(pe::_1)), pe::_1,
                    pe::Lt(pe::_1, pe::Const(0.0f)));
}

auto hardSigmoidOf(float alpha, float beta) {
  return pe::Max(
      pe::Const(0.0f),
      pe::Min(pe::Const(1.0f), pe::Add(pe::Mul(pe::Const(alpha), pe::_1), pe::Const(beta))));
}

auto leakyReluOf(float alpha) {
  return pe::Select(pe::Mul(pe::Const(alpha), pe::_1), pe::_1, pe::Lt(pe::_1, pe::Const(0.0f)));
}

auto seluOf(float gamma, float alpha) {
  return pe::Mul(pe::Const(gamma), pe::Select(pe::Mul(pe::Const(alpha), pe::Expm1(pe::_1)), pe::_1,
                                              pe::Lt(pe::_1, pe::Const(0.0f))));
}

auto shrinkOf(float bias, float lambd) {
  return pe::Select(pe::Add(pe::_1, pe::Const(bias)),
                    pe::Select(pe::Sub(pe::_1, pe::Const(bias)), pe::Sub(pe::_1, pe::_1),
                               pe::Gt(pe::_1, pe::Const(lambd))),
                    pe::Lt(pe::_1, pe::Const(-lambd)));
}

auto thresholdedReluOf(float alpha) {
  return pe::Select(pe::_1, pe::Sub(pe::_1, pe::_1), pe::Gt(pe::_1, pe::Const(alpha)));
}

auto softSignOf() { return pe::Divide(pe::_1, pe::Add(pe::Const(1.0f), pe::Abs(pe::_1))); }

auto sinhOf() {
  return pe::Mul(pe::Const(0.5f),
                 pe::Add(pe::Expm1(pe::_1), pe::Divide(pe::Expm1(pe::_1), pe::Exp(pe::_1))));
}

auto swishOf() { return pe::Mul(pe::_1, pe::Sigmoid(pe::_1)); }

auto geluErfOf() {
  return pe::Mul(pe::Mul(pe::Const(0.5f), pe::_1),
                 pe::Add(pe::Const(1.0f), pe::Erf(pe::Mul(pe::_1, pe::Const(0.70710678f)))));
}

auto geluOf() {
  return pe::Mul(
      pe::Mul(pe::Const(0.5f), pe::_1),
      pe::Add(pe::Const(1.0f),
              pe::Tanh(pe::Mul(pe::Const(0.79788456f),
                               pe::Add(pe::_1, pe::Mul(pe::Const(0.044715f),
                                                       pe::Mul(pe::_1, pe::Square(pe::_1))))))));
}

auto clipOf(float min, float max) {
  return pe::Max(pe::Const(min), pe::Min(pe::Const(max), pe::_1));
}

}  // namespace

void EluComputex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                          const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                          const std::string& name) const {
  popops::mapInPlace(graph, eluOf(alpha_), {tensor}, prog, {dnai, name});
}
poplar::Tensor EluComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                     const poplar::Tensor& tensor,
                                     const poplar::DebugNameAndId& dnai,
                                     const std::string& name) const {
  return popops::map(graph, eluOf(alpha_), {tensor}, prog, {dnai, name});
}
EluComputex::~EluComputex() = default;
EluOpx::EluOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryOutplaceOpx(op, devicex, EluComputex::get(attributesOf<EluOp>(op).alpha())) {}
EluOpx::~EluOpx() = default;
EluInplaceOpx::EluInplaceOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryInplaceOpx(op, devicex, EluComputex::get(attributesOf<EluOp>(op).alpha())) {}
EluInplaceOpx::~EluInplaceOpx() = default;

void HardSigmoidComputex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                  const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                                  const std::string& name) const {
  popops::mapInPlace(graph, hardSigmoidOf(alpha_, beta_), {tensor}, prog, {dnai, name});
}
poplar::Tensor HardSigmoidComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                             const poplar::Tensor& tensor,
                                             const poplar::DebugNameAndId& dnai,
                                             const std::string& name) const {
  return popops::map(graph, hardSigmoidOf(alpha_, beta_), {tensor}, prog, {dnai, name});
}
HardSigmoidComputex::~HardSigmoidComputex() = default;
HardSigmoidOpx::HardSigmoidOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryOutplaceOpx(
          op, devicex,
          HardSigmoidComputex::get(attributesOf<HardSigmoidOp>(op).getAlpha(),
                                   attributesOf<HardSigmoidOp>(op).getBeta())) {}
HardSigmoidOpx::~HardSigmoidOpx() = default;
HardSigmoidInplaceOpx::HardSigmoidInplaceOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryInplaceOpx(
          op, devicex,
          HardSigmoidComputex::get(attributesOf<HardSigmoidOp>(op).getAlpha(),
                                   attributesOf<HardSigmoidOp>(op).getBeta())) {}
HardSigmoidInplaceOpx::~HardSigmoidInplaceOpx() = default;

void LeakyReluComputex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                                const std::string& name) const {
  popops::mapInPlace(graph, leakyReluOf(alpha_), {tensor}, prog, {dnai, name});
}
poplar::Tensor LeakyReluComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                           const poplar::Tensor& tensor,
                                           const poplar::DebugNameAndId& dnai,
                                           const std::string& name) const {
  return popops::map(graph, leakyReluOf(alpha_), {tensor}, prog, {dnai, name});
}
LeakyReluComputex::~LeakyReluComputex() = default;
LeakyReluOpx::LeakyReluOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryOutplaceOpx(
          op, devicex, LeakyReluComputex::get(attributesOf<LeakyReluOp>(op).getAlpha())) {}
LeakyReluOpx::~LeakyReluOpx() = default;
LeakyReluInplaceOpx::LeakyReluInplaceOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryInplaceOpx(
          op, devicex, LeakyReluComputex::get(attributesOf<LeakyReluOp>(op).getAlpha())) {}
LeakyReluInplaceOpx::~LeakyReluInplaceOpx() = default;

void SeluComputex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                           const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                           const std::string& name) const {
  popops::mapInPlace(graph, seluOf(gamma_, alpha_), {tensor}, prog, {dnai, name});
}
poplar::Tensor SeluComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                      const poplar::Tensor& tensor,
                                      const poplar::DebugNameAndId& dnai,
                                      const std::string& name) const {
  return popops::map(graph, seluOf(gamma_, alpha_), {tensor}, prog, {dnai, name});
}
SeluComputex::~SeluComputex() = default;
SeluOpx::SeluOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryOutplaceOpx(op, devicex,
                                  SeluComputex::get(attributesOf<SeluOp>(op).getAlpha(),
                                                    attributesOf<SeluOp>(op).getGamma())) {}
SeluOpx::~SeluOpx() = default;
SeluInplaceOpx::SeluInplaceOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryInplaceOpx(op, devicex,
                                 SeluComputex::get(attributesOf<SeluOp>(op).getAlpha(),
                                                   attributesOf<SeluOp>(op).getGamma())) {}
SeluInplaceOpx::~SeluInplaceOpx() = default;

void ShrinkComputex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                             const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                             const std::string& name) const {
  popops::mapInPlace(graph, shrinkOf(bias_, lambd_), {tensor}, prog, {dnai, name});
}
poplar::Tensor ShrinkComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                        const poplar::Tensor& tensor,
                                        const poplar::DebugNameAndId& dnai,
                                        const std::string& name) const {
  return popops::map(graph, shrinkOf(bias_, lambd_), {tensor}, prog, {dnai, name});
}
ShrinkComputex::~ShrinkComputex() = default;
ShrinkOpx::ShrinkOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryOutplaceOpx(op, devicex,
                                  ShrinkComputex::get(attributesOf<ShrinkOp>(op).lambd(),
                                                      attributesOf<ShrinkOp>(op).bias())) {}
ShrinkOpx::~ShrinkOpx() = default;
ShrinkInplaceOpx::ShrinkInplaceOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryInplaceOpx(op, devicex,
                                 ShrinkComputex::get(attributesOf<ShrinkOp>(op).lambd(),
                                                     attributesOf<ShrinkOp>(op).bias())) {}
ShrinkInplaceOpx::~ShrinkInplaceOpx() = default;

void ThresholdedReluComputex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                      const poplar::Tensor& tensor,
                                      const poplar::DebugNameAndId& dnai,
                                      const std::string& name) const {
  popops::mapInPlace(graph, thresholdedReluOf(alpha_), {tensor}, prog, {dnai, name});
}
poplar::Tensor ThresholdedReluComputex::outplace(poplar::program::Sequence& prog,
                                                 poplar::Graph& graph, const poplar::Tensor& tensor,
                                                 const poplar::DebugNameAndId& dnai,
                                                 const std::string& name) const {
  return popops::map(graph, thresholdedReluOf(alpha_), {tensor}, prog, {dnai, name});
}
ThresholdedReluComputex::~ThresholdedReluComputex() = default;
ThresholdedReluOpx::ThresholdedReluOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryOutplaceOpx(
          op, devicex,
          ThresholdedReluComputex::get(attributesOf<ThresholdedReluOp>(op).getAlpha())) {}
ThresholdedReluOpx::~ThresholdedReluOpx() = default;
ThresholdedReluInplaceOpx::ThresholdedReluInplaceOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryInplaceOpx(
          op, devicex,
          ThresholdedReluComputex::get(attributesOf<ThresholdedReluOp>(op).getAlpha())) {}
ThresholdedReluInplaceOpx::~ThresholdedReluInplaceOpx() = default;

void SoftSignComputex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                               const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                               const std::string& name) const {
  popops::mapInPlace(graph, softSignOf(), {tensor}, prog, {dnai, name});
}
poplar::Tensor SoftSignComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                          const poplar::Tensor& tensor,
                                          const poplar::DebugNameAndId& dnai,
                                          const std::string& name) const {
  return popops::map(graph, softSignOf(), {tensor}, prog, {dnai, name});
}
SoftSignComputex::~SoftSignComputex() = default;
SoftSignOpx::SoftSignOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryOutplaceOpx(op, devicex, SoftSignComputex::get()) {}
SoftSignOpx::~SoftSignOpx() = default;
SoftSignInplaceOpx::SoftSignInplaceOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryInplaceOpx(op, devicex, SoftSignComputex::get()) {}
SoftSignInplaceOpx::~SoftSignInplaceOpx() = default;

void SinhComputex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                           const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                           const std::string& name) const {
  popops::mapInPlace(graph, sinhOf(), {tensor}, prog, {dnai, name});
}
poplar::Tensor SinhComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                      const poplar::Tensor& tensor,
                                      const poplar::DebugNameAndId& dnai,
                                      const std::string& name) const {
  return popops::map(graph, sinhOf(), {tensor}, prog, {dnai, name});
}
SinhComputex::~SinhComputex() = default;
SinhOpx::SinhOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryOutplaceOpx(op, devicex, SinhComputex::get()) {}
SinhOpx::~SinhOpx() = default;
SinhInplaceOpx::SinhInplaceOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryInplaceOpx(op, devicex, SinhComputex::get()) {}
SinhInplaceOpx::~SinhInplaceOpx() = default;

void SwishComputex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                            const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                            const std::string& name) const {
  popops::mapInPlace(graph, swishOf(), {tensor}, prog, {dnai, name});
}
poplar::Tensor SwishComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                       const poplar::Tensor& tensor,
                                       const poplar::DebugNameAndId& dnai,
                                       const std::string& name) const {
  return popops::map(graph, swishOf(), {tensor}, prog, {dnai, name});
}
SwishComputex::~SwishComputex() = default;
SwishOpx::SwishOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryOutplaceOpx(op, devicex, SwishComputex::get()) {}
SwishOpx::~SwishOpx() = default;
SwishInplaceOpx::SwishInplaceOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryInplaceOpx(op, devicex, SwishComputex::get()) {}
SwishInplaceOpx::~SwishInplaceOpx() = default;

void GeluErfComputex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                              const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                              const std::string& name) const {
  popops::mapInPlace(graph, geluErfOf(), {tensor}, prog, {dnai, name});
}
poplar::Tensor GeluErfComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                         const poplar::Tensor& tensor,
                                         const poplar::DebugNameAndId& dnai,
                                         const std::string& name) const {
  return popops::map(graph, geluErfOf(), {tensor}, prog, {dnai, name});
}
GeluErfComputex::~GeluErfComputex() = default;
GeluErfOpx::GeluErfOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryOutplaceOpx(op, devicex, GeluErfComputex::get()) {}
GeluErfOpx::~GeluErfOpx() = default;
GeluErfInplaceOpx::GeluErfInplaceOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryInplaceOpx(op, devicex, GeluErfComputex::get()) {}
GeluErfInplaceOpx::~GeluErfInplaceOpx() = default;

void GeluComputex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                           const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                           const std::string& name) const {
  popops::mapInPlace(graph, geluOf(), {tensor}, prog, {dnai, name});
}
poplar::Tensor GeluComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                      const poplar::Tensor& tensor,
                                      const poplar::DebugNameAndId& dnai,
                                      const std::string& name) const {
  return popops::map(graph, geluOf(), {tensor}, prog, {dnai, name});
}
GeluComputex::~GeluComputex() = default;
GeluOpx::GeluOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryOutplaceOpx(op, devicex, GeluComputex::get()) {}
GeluOpx::~GeluOpx() = default;
GeluInplaceOpx::GeluInplaceOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryInplaceOpx(op, devicex, GeluComputex::get()) {}
GeluInplaceOpx::~GeluInplaceOpx() = default;

float LeakyReluComputex::getAlphaFromLReluOp(Op* op) {
  return attributesOf<LeakyReluOp>(op).getAlpha();
}

// ---- Scale ----

poplar::Tensor ScaleComputex::getScaleTensor(const poplar::Type& type, poplar::Graph& graph) const {
  const poplar::Tensor factor = graph.addConstant(type, {}, scale_factor, "scale");
  graph.setTileMapping(factor, 0);
  return factor;
}

poplar::Tensor ScaleComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                       const poplar::Tensor& tensor,
                                       const poplar::DebugNameAndId& dnai,
                                       const std::string& name) const {
  return popops::mul(graph, tensor, getScaleTensor(tensor.elementType(), graph), prog,
                     {dnai, name});
}

void ScaleComputex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                            const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                            const std::string& name) const {
  popops::mulInPlace(graph, tensor, getScaleTensor(tensor.elementType(), graph), prog,
                     {dnai, name});
}

float ScaleComputex::getFromScaleOp(Op* op) { return attributesOf<ScaleOp>(op).getScaleFactor(); }
float ScaleComputex::getFromScaleInplaceOp(Op* op) {
  return attributesOf<ScaleInplaceOp>(op).getScaleFactor();
}
ScaleComputex::~ScaleComputex() = default;
ScaleOpx::ScaleOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryOutplaceOpx(op, devicex,
                                  ScaleComputex::get(ScaleComputex::getFromScaleOp(op))) {}
ScaleOpx::~ScaleOpx() = default;
ScaleInplaceOpx::ScaleInplaceOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryInplaceOpx(op, devicex,
                                 ScaleComputex::get(ScaleComputex::getFromScaleInplaceOp(op))) {}
ScaleInplaceOpx::~ScaleInplaceOpx() = default;
ScaleGradOpx::ScaleGradOpx(Op* op, Devicex* devicex) : ScaleOpx(op, devicex) {}
ScaleGradOpx::~ScaleGradOpx() = default;

// ---- Clip ----

poplar::Tensor ClipComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                      const poplar::Tensor& tensor,
                                      const poplar::DebugNameAndId& dnai,
                                      const std::string& name) const {
  return popops::map(graph, clipOf(min_, max_), {tensor}, prog, {dnai, name});
}

void ClipComputex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                           const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                           const std::string& name) const {
  popops::mapInPlace(graph, clipOf(min_, max_), {tensor}, prog, {dnai, name});
}

ClipComputex::~ClipComputex() = default;
ClipOpx::ClipOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryOutplaceOpx(op, devicex,
                                  ClipComputex::get(attributesOf<ClipOp>(op).getClipMin(),
                                                    attributesOf<ClipOp>(op).getClipMax())) {}
ClipOpx::~ClipOpx() = default;
ClipInplaceOpx::ClipInplaceOpx(Op* op, Devicex* devicex)
    : ElementWiseUnaryInplaceOpx(op, devicex,
                                 ClipComputex::get(attributesOf<ClipOp>(op).getClipMin(),
                                                   attributesOf<ClipOp>(op).getClipMax())) {}
ClipInplaceOpx::~ClipInplaceOpx() = default;

}  // namespace popx
}  // namespace popart
