#include "popart/builtins.hpp"

#include <popart/op/abs.hpp>
#include <popart/op/add.hpp>
#include <popart/op/ceil.hpp>
#include <popart/op/cos.hpp>
#include <popart/op/div.hpp>
#include <popart/op/dropout.hpp>
#include <popart/op/erf.hpp>
#include <popart/op/exp.hpp>
#include <popart/op/floor.hpp>
#include <popart/op/gather.hpp>
#include <popart/op/groupnorm.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/l1.hpp>
#include <popart/op/log.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/negate.hpp>
#include <popart/op/reciprocal.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/reshape.hpp>
#include <popart/op/sigmoid.hpp>
#include <popart/op/sign.hpp>
#include <popart/op/sin.hpp>
#include <popart/op/softsign.hpp>
#include <popart/op/sqrt.hpp>
#include <popart/op/subtract.hpp>
#include <popart/op/sum.hpp>
#include <popart/op/tan.hpp>
#include <popart/op/tanh.hpp>
#include <popart/operators.hpp>

#include <string>
#include <vector>

namespace popir {
namespace {

using popart::Attributes;
using popart::Op;
using popart::OperatorIdentifier;
using Made = std::unique_ptr<Op>;

constexpr const char* onnx = "ai.onnx";
constexpr const char* graphcore = "ai.graphcore";

template <class OP>
BuiltinClass plain(const char* type) {
  return {onnx, type, typeid(OP),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes&) {
            return Made(new OP(opid, settings));
          },
          [](const Op&) { return Attributes(); }};
}

BuiltinClass dropout() {
  return {onnx, "Dropout", typeid(popart::DropoutOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const float ratio = a.getAttribute<Attributes::Float>("ratio", 0.5f);
            return Made(new popart::DropoutOp(opid, ratio, settings));
          },
          [](const Op& op) {
            Attributes a;
            a.setAttribute("ratio", static_cast<const popart::DropoutOp&>(op).getRatio());
            return a;
          }};
}

BuiltinClass groupNorm() {
  return {graphcore, "GroupNormalization", typeid(popart::GroupNormOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto groups = a.getAttribute<Attributes::Int>("num_groups");
            const float epsilon = a.getAttribute<Attributes::Float>("epsilon", 1e-5f);
            return Made(new popart::GroupNormOp(opid, groups, epsilon, settings));
          },
          [](const Op& op) {
            const auto& norm = static_cast<const popart::GroupNormOp&>(op);
            Attributes a;
            a.setAttribute("num_groups", Attributes::Int(norm.getNumGroups()));
            a.setAttribute("epsilon", norm.getEpsilon());
            return a;
          }};
}

/// Reshape of ai.onnx takes the shape as an input, which the compiler reads. Reshape of
/// ai.graphcore takes it as an attribute.
BuiltinClass reshape(const char* domain) {
  return {domain, "Reshape", typeid(popart::ReshapeOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto shape = a.getAttribute<Attributes::Ints>("shape", {});
            return Made(new popart::ReshapeOp(opid, shape, settings));
          },
          [](const Op& op) {
            Attributes a;
            if (op.opid.domain == graphcore)
              a.setAttribute("shape", static_cast<const popart::ReshapeOp&>(op).getOutShape());
            return a;
          }};
}

/// Attributes that ONNX's Gather lacks are written only if they differ from their defaults.
BuiltinClass gather(const char* domain, const char* type) {
  return {domain, type, typeid(popart::GatherOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto axis = a.getAttribute<Attributes::Int>("axis", 0);
            const auto groups = a.getAttribute<Attributes::Int>("group_size", 1);
            const bool zeros = a.getAttribute<Attributes::Int>("zeroOutOfRangeIndices", 0) != 0;
            return Made(new popart::GatherOp(opid, axis, groups, settings, {}, zeros));
          },
          [](const Op& op) {
            const auto& gather = static_cast<const popart::GatherOp&>(op);
            Attributes a;
            a.setAttribute("axis", Attributes::Int(gather.getAxis()));
            if (gather.getGroupSize() != 1)
              a.setAttribute("group_size", Attributes::Int(gather.getGroupSize()));
            if (gather.zeroOutOfRangeIndices())
              a.setAttribute("zeroOutOfRangeIndices", Attributes::Int(1));
            return a;
          }};
}

BuiltinClass l1() {
  return {graphcore, "L1", typeid(popart::L1Op),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto reduction = popart::LossOp::reductionTypeFromString(
                a.getAttribute<Attributes::String>("reduction", "Mean"));
            const float lambda = a.getAttribute<Attributes::Float>("lambda");
            return Made(new popart::L1Op(opid, lambda, reduction, settings));
          },
          [](const Op& op) {
            const auto& loss = static_cast<const popart::L1Op&>(op);
            Attributes a;
            a.setAttribute("lambda", loss.getLambda());
            a.setAttribute("reduction",
                           popart::LossOp::reductionTypeToString(loss.getReductionType()));
            return a;
          }};
}

const std::vector<BuiltinClass>& rows() {
  static const std::vector<BuiltinClass> all = {plain<popart::AddOp>("Add"),
                                                plain<popart::SubtractOp>("Sub"),
                                                plain<popart::MulOp>("Mul"),
                                                plain<popart::DivOp>("Div"),
                                                plain<popart::NegateOp>("Neg"),
                                                plain<popart::ReluOp>("Relu"),
                                                plain<popart::SqrtOp>("Sqrt"),
                                                plain<popart::ExpOp>("Exp"),
                                                plain<popart::LogOp>("Log"),
                                                plain<popart::AbsOp>("Abs"),
                                                plain<popart::TanhOp>("Tanh"),
                                                plain<popart::SigmoidOp>("Sigmoid"),
                                                plain<popart::SinOp>("Sin"),
                                                plain<popart::CosOp>("Cos"),
                                                plain<popart::TanOp>("Tan"),
                                                plain<popart::FloorOp>("Floor"),
                                                plain<popart::CeilOp>("Ceil"),
                                                plain<popart::ReciprocalOp>("Reciprocal"),
                                                plain<popart::ErfOp>("Erf"),
                                                plain<popart::SignOp>("Sign"),
                                                plain<popart::SoftSignOp>("Softsign"),
                                                plain<popart::IdentityOp>("Identity"),
                                                plain<popart::SumOp>("Sum"),
                                                dropout(),
                                                groupNorm(),
                                                reshape(onnx),
                                                reshape(graphcore),
                                                gather(onnx, "Gather"),
                                                gather(graphcore, "GroupedGather"),
                                                l1()};
  return all;
}

}  // namespace

const BuiltinClass* builtinClass(const OperatorIdentifier& opid) {
  for (const BuiltinClass& row : rows())
    if (opid.type == row.type && opid.domain == row.domain) return &row;
  return nullptr;
}

const BuiltinClass* builtinClass(const Op& op) {
  const BuiltinClass* row = builtinClass(op.opid);
  return row != nullptr && row->cls == std::type_index(typeid(op)) ? row : nullptr;
}

}  // namespace popir
