// One table, an operator a row with what makes its class and what its attributes are: as long as
// there are classes.
#include "popart/builtins.hpp"

#include <popart/op/abs.hpp>
#include <popart/op/accumulate.hpp>
#include <popart/op/accumulatorzero.hpp>
#include <popart/op/adamvarupdate.hpp>
#include <popart/op/add.hpp>
#include <popart/op/batchnorm.hpp>
#include <popart/op/call.hpp>
#include <popart/op/cast.hpp>
#include <popart/op/ceil.hpp>
#include <popart/op/clip.hpp>
#include <popart/op/concat.hpp>
#include <popart/op/conv.hpp>
#include <popart/op/convtranspose.hpp>
#include <popart/op/copyvarupdate.hpp>
#include <popart/op/cos.hpp>
#include <popart/op/detach.hpp>
#include <popart/op/div.hpp>
#include <popart/op/dropout.hpp>
#include <popart/op/dynamic/dynamicadd.hpp>
#include <popart/op/dynamic/dynamicslice.hpp>
#include <popart/op/dynamic/dynamicupdate.hpp>
#include <popart/op/dynamic/dynamiczero.hpp>
#include <popart/op/erf.hpp>
#include <popart/op/exp.hpp>
#include <popart/op/floor.hpp>
#include <popart/op/gather.hpp>
#include <popart/op/groupnorm.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/if.hpp>
#include <popart/op/init.hpp>
#include <popart/op/ipucopy.hpp>
#include <popart/op/l1.hpp>
#include <popart/op/log.hpp>
#include <popart/op/loop.hpp>
#include <popart/op/matmul.hpp>
#include <popart/op/mean.hpp>
#include <popart/op/mul.hpp>
#include <popart/op/negate.hpp>
#include <popart/op/nll.hpp>
#include <popart/op/pad.hpp>
#include <popart/op/printtensor.hpp>
#include <popart/op/reciprocal.hpp>
#include <popart/op/relu.hpp>
#include <popart/op/reshape.hpp>
#include <popart/op/restore.hpp>
#include <popart/op/scale.hpp>
#include <popart/op/scaledadd.hpp>
#include <popart/op/scaledvarupdate.hpp>
#include <popart/op/sgd0varupdate.hpp>
#include <popart/op/sgd1accumulate.hpp>
#include <popart/op/sgd1varupdate.hpp>
#include <popart/op/sgd2varupdate.hpp>
#include <popart/op/sigmoid.hpp>
#include <popart/op/sign.hpp>
#include <popart/op/sin.hpp>
#include <popart/op/slice.hpp>
#include <popart/op/softmax.hpp>
#include <popart/op/softsign.hpp>
#include <popart/op/sqrt.hpp>
#include <popart/op/stash.hpp>
#include <popart/op/subtract.hpp>
#include <popart/op/sum.hpp>
#include <popart/op/tan.hpp>
#include <popart/op/tanh.hpp>
#include <popart/op/transpose.hpp>
#include <popart/operators.hpp>

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "popart/builtin_rows.hpp"

namespace popir {
namespace {

using popart::Attributes;
using popart::Op;
using popart::OperatorIdentifier;
using Made = std::unique_ptr<Op>;

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

/// ONNX's has an attribute for training from version 14 on; before, and in PopART's, it is the
/// number of outputs. The running variance is unbiased in PopART's.
BuiltinClass batchNorm(const char* domain) {
  return {domain, "BatchNormalization", typeid(popart::BatchNormOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const float epsilon = a.getAttribute<Attributes::Float>("epsilon", 1e-5f);
            const float momentum = a.getAttribute<Attributes::Float>("momentum", 0.9f);
            const auto spatial = a.getAttribute<Attributes::Int>("spatial", 1);
            return Made(new popart::BatchNormOp(opid, epsilon, momentum, spatial,
                                                opid.domain == graphcore, settings));
          },
          [](const Op& op) {
            const auto& norm = static_cast<const popart::BatchNormOp&>(op);
            Attributes a;
            a.setAttribute("epsilon", norm.getEpsilon());
            a.setAttribute("momentum", norm.getMomentum());
            if (op.opid.domain == onnx && op.opid.version < 9)
              a.setAttribute("spatial", Attributes::Int(norm.getSpatial()));
            if (op.opid.domain == onnx && op.opid.version >= 14)
              a.setAttribute("training_mode", Attributes::Int(norm.isTraining() ? 1 : 0));
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

using MatMulSettings = popart::MatMulBaseOp::SerialiseSettings;

const char* const* serialiseModes() {
  static const char* const names[] = {"none", "input_channels", "reducing_dim", "output_channels",
                                      nullptr};
  return names;
}

MatMulSettings serialisation(const Attributes& a) {
  MatMulSettings made;
  const auto mode = a.getAttribute<Attributes::String>("__serialize_matmul_mode", "none");
  for (int i = 0; serialiseModes()[i] != nullptr; ++i)
    if (mode == serialiseModes()[i]) made.mode = static_cast<MatMulSettings::Mode>(i);
  made.factor =
      static_cast<uint32_t>(a.getAttribute<Attributes::Int>("__serialize_matmul_factor", 0));
  made.keep_precision = a.getAttribute<Attributes::Int>("__serialize_matmul_precision", 0) != 0;
  return made;
}

nonstd::optional<float> availableMemory(const Attributes& a) {
  if (!a.hasAttribute("__available_memory")) return {};
  return a.getAttribute<Attributes::Float>("__available_memory");
}

popart::MatMulPartialsType partials(const Attributes& a) {
  const auto type = a.getAttribute<Attributes::String>("__partials_type", "FLOAT");
  return type == "HALF" ? popart::MatMulPartialsType::HALF : popart::MatMulPartialsType::FLOAT;
}

/// What a caller changes in such an object is the object's; the node keeps its annotations.
BuiltinClass matMul() {
  return {onnx, "MatMul", typeid(popart::MatMulOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::MatMulOp(opid, settings, availableMemory(a), serialisation(a),
                                             {}, partials(a)));
          },
          [](const Op&) { return Attributes(); }};
}

template <class OP>
BuiltinClass matMulGrad(const char* type) {
  return {graphcore, type, typeid(OP),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto phase = opid.type == std::string("MatMulLhsGrad")
                                   ? popart::MatMulBaseOp::Phase::BwdLHS
                                   : popart::MatMulBaseOp::Phase::BwdRHS;
            return Made(new OP(opid, settings, phase, availableMemory(a), serialisation(a), {},
                               partials(a)));
          },
          [](const Op&) { return Attributes(); }};
}

/// Bounds are attributes of opset 9, and of ai.graphcore; later they are inputs.
BuiltinClass slice(const char* domain) {
  return {domain, "Slice", typeid(popart::SliceOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto list = [&](const char* name) {
              return a.getAttribute<Attributes::Ints>(name, {});
            };
            return Made(new popart::SliceOp(opid, list("starts"), list("ends"), list("axes"),
                                            list("steps"), settings));
          },
          [](const Op& op) {
            const auto& slice = static_cast<const popart::SliceOp&>(op);
            Attributes a;
            if (slice.getStarts().empty()) return a;
            a.setAttribute("starts", slice.getStarts());
            a.setAttribute("ends", slice.getEnds());
            a.setAttribute("axes", slice.getAxes());
            const auto& steps = slice.getSteps();
            if (steps != std::vector<int64_t>(steps.size(), 1)) a.setAttribute("steps", steps);
            return a;
          }};
}

BuiltinClass transpose() {
  return {onnx, "Transpose", typeid(popart::TransposeOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::TransposeOp(opid, a.getAttribute<Attributes::Ints>("perm", {}),
                                                settings));
          },
          [](const Op& op) {
            const auto& transpose = static_cast<const popart::TransposeOp&>(op);
            Attributes a;
            if (!transpose.getPerm().empty()) a.setAttribute("perm", transpose.getPerm());
            return a;
          }};
}

BuiltinClass softmax() {
  return {onnx, "Softmax", typeid(popart::SoftmaxOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto usual = opid.version < 13 ? 1 : -1;
            return Made(new popart::SoftmaxOp(opid, a.getAttribute<Attributes::Int>("axis", usual),
                                              settings));
          },
          [](const Op& op) {
            Attributes a;
            a.setAttribute("axis",
                           Attributes::Int(static_cast<const popart::SoftmaxOp&>(op).getAxis()));
            return a;
          }};
}

BuiltinClass clip() {
  return {
      onnx, "Clip", typeid(popart::ClipOp),
      [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
        constexpr float most = std::numeric_limits<float>::max();
        return Made(new popart::ClipOp(opid, a.getAttribute<Attributes::Float>("min", -most),
                                       a.getAttribute<Attributes::Float>("max", most), settings));
      },
      [](const Op& op) {
        const auto& clip = static_cast<const popart::ClipOp&>(op);
        Attributes a;
        if (op.opid.version < 11) {
          a.setAttribute("min", clip.getClipMin());
          a.setAttribute("max", clip.getClipMax());
        }
        return a;
      }};
}

BuiltinClass nll() {
  return {graphcore, "Nll", typeid(popart::NllOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto reduction = popart::LossOp::reductionTypeFromString(
                a.getAttribute<Attributes::String>("reduction", "Mean"));
            const bool logs = a.getAttribute<Attributes::Int>("inputIsLogProbability", 0) != 0;
            if (!a.hasAttribute("ignoreIndex"))
              return Made(new popart::NllOp(opid, nonstd::nullopt, reduction, logs, settings));
            const int ignored = static_cast<int>(a.getAttribute<Attributes::Int>("ignoreIndex"));
            return Made(new popart::NllOp(opid, ignored, reduction, logs, settings));
          },
          [](const Op& op) {
            const auto& loss = static_cast<const popart::NllOp&>(op);
            Attributes a;
            a.setAttribute("reduction",
                           popart::LossOp::reductionTypeToString(loss.getReductionType()));
            if (loss.hasIgnoreIndex())
              a.setAttribute("ignoreIndex", Attributes::Int(loss.getIgnoreIndex()));
            if (loss.inputIsLogProbability())
              a.setAttribute("inputIsLogProbability", Attributes::Int(1));
            return a;
          }};
}

BuiltinClass init() {
  return {graphcore, "Init", typeid(popart::InitOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto type = typeOf(a.getAttribute<Attributes::Int>("data_type", 1));
            const popart::TensorInfo info(type, a.getAttribute<Attributes::Ints>("shape", {}));
            const auto kind =
                static_cast<popart::InitType>(a.getAttribute<Attributes::Int>("init_type", 1));
            const auto axis = static_cast<int>(a.getAttribute<Attributes::Int>("batch_axis", -1));
            return Made(
                new popart::InitOp(opid, info, popart::TensorType::ActGrad, kind, settings, axis));
          },
          [](const Op& op) {
            const auto& init = static_cast<const popart::InitOp&>(op);
            Attributes a;
            a.setAttribute("shape", init.getTensorInfo().shape());
            a.setAttribute("data_type", numberOf(init.getTensorInfo().dataType()));
            a.setAttribute("init_type", Attributes::Int(static_cast<int>(init.getInitType())));
            a.setAttribute("batch_axis", Attributes::Int(-1));
            return a;
          }};
}

BuiltinClass cast() {
  return {onnx, "Cast", typeid(popart::CastOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(
                new popart::CastOp(opid, typeOf(a.getAttribute<Attributes::Int>("to")), settings));
          },
          [](const Op& op) {
            Attributes a;
            a.setAttribute("to", numberOf(static_cast<const popart::CastOp&>(op).toDataType()));
            return a;
          }};
}

BuiltinClass dropoutGrad() {
  return {graphcore, "DropoutGrad", typeid(popart::DropoutGradOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const float ratio = a.getAttribute<Attributes::Float>("ratio", 0.5f);
            return Made(new popart::DropoutGradOp(opid, ratio, settings));
          },
          [](const Op&) { return Attributes(); }};
}

BuiltinClass loop() {
  return {graphcore, "Loop", typeid(popart::LoopOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto trips = static_cast<int>(a.getAttribute<Attributes::Int>("trip", -1));
            return Made(new popart::LoopOp(opid, settings, trips, 0));
          },
          [](const Op& op) {
            const auto trips = static_cast<const popart::LoopOp&>(op).getTripCountValue();
            Attributes a;
            a.setAttribute("trip", Attributes::Int(trips));
            return a;
          }};
}

BuiltinClass choice() {
  return {graphcore, "If", typeid(popart::IfOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::IfOp(opid, a.getAttribute<Attributes::Ints>("then_inputs", {}),
                                         a.getAttribute<Attributes::Ints>("else_inputs", {}),
                                         settings));
          },
          nullptr};
}

BuiltinClass printTensor() {
  using popart::PrintTensorFmt;
  using popart::PrintTensorOp;
  return {graphcore, "PrintTensor", typeid(PrintTensorOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto number = [&a](const char* name, int64_t otherwise) {
              return a.getAttribute<Attributes::Int>(name, otherwise);
            };
            const auto size = [&number](const char* name, unsigned otherwise) {
              return static_cast<unsigned>(number(name, otherwise));
            };
            const auto character = [&number](const char* name, char otherwise) {
              return static_cast<char>(number(name, otherwise));
            };
            const PrintTensorFmt all;
            const PrintTensorFmt format(
                size("summariseThreshold", all.summariseThreshold),
                size("edgeItems", all.edgeItems), size("maxLineWidth", all.maxLineWidth),
                size("digits", all.digits),
                static_cast<PrintTensorFmt::FloatFormat>(number("floatFormat", 0)),
                character("separator", all.separator), character("openBracket", all.openBracket),
                character("closeBracket", all.closeBracket));
            return Made(new PrintTensorOp(
                opid, number("print_self", 1) != 0, number("print_gradient", 1) != 0,
                a.getAttribute<Attributes::String>("title", ""), format, settings));
          },
          [](const Op& op) {
            const auto& print = static_cast<const PrintTensorOp&>(op);
            const PrintTensorFmt& format = print.getFmt();
            Attributes a;
            const auto set = [&a](const char* name, int64_t value) {
              a.setAttribute(name, Attributes::Int(value));
            };
            set("print_self", print.shouldPrint() ? 1 : 0);
            set("print_gradient", print.printsGradient() ? 1 : 0);
            a.setAttribute("title", print.getTitle());
            set("summariseThreshold", format.summariseThreshold);
            set("edgeItems", format.edgeItems);
            set("maxLineWidth", format.maxLineWidth);
            set("digits", format.digits);
            set("floatFormat", static_cast<int>(format.floatFormat));
            set("separator", format.separator);
            set("openBracket", format.openBracket);
            set("closeBracket", format.closeBracket);
            return a;
          }};
}

BuiltinClass ipuCopy() {
  return {graphcore, "IpuCopy", typeid(popart::IpuCopyOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::IpuCopyOp(
                opid, a.getAttribute<Attributes::Int>("source_ipu", popart::unusedVGraphId),
                a.getAttribute<Attributes::Int>("destination_ipu"), settings));
          },
          [](const Op& op) {
            Attributes a;
            a.setAttribute("destination_ipu",
                           Attributes::Int(static_cast<const popart::IpuCopyOp&>(op).getDestIpu()));
            return a;
          }};
}

template <class OP>
BuiltinClass stash(const char* type) {
  return {graphcore, type, typeid(OP),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new OP(opid, a.getAttribute<Attributes::Int>("stash_size", 1), settings));
          },
          [](const Op& op) {
            Attributes a;
            a.setAttribute("stash_size",
                           Attributes::Int(static_cast<const OP&>(op).getStashSize()));
            return a;
          }};
}

BuiltinClass scale() {
  return {graphcore, "Scale", typeid(popart::ScaleOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(
                new popart::ScaleOp(opid, a.getAttribute<Attributes::Float>("scale"), settings));
          },
          [](const Op& op) {
            Attributes a;
            a.setAttribute("scale", static_cast<const popart::ScaleOp&>(op).getScaleFactor());
            return a;
          }};
}

BuiltinClass scaledAdd() {
  return {graphcore, "ScaledAdd", typeid(popart::ScaledAddOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::ScaledAddOp(
                opid, a.getAttribute<Attributes::Float>("scale0", 1.0f),
                a.getAttribute<Attributes::Float>("scale1", 1.0f), settings));
          },
          [](const Op& op) {
            const auto& sum = static_cast<const popart::ScaledAddOp&>(op);
            Attributes a;
            a.setAttribute("scale0", sum.getScale0());
            a.setAttribute("scale1", sum.getScale1());
            return a;
          }};
}

BuiltinClass concat() {
  return {
      onnx, "Concat", typeid(popart::ConcatOp),
      [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
        return Made(new popart::ConcatOp(opid, a.getAttribute<Attributes::Int>("axis"), settings));
      },
      [](const Op& op) {
        Attributes a;
        a.setAttribute("axis", Attributes::Int(static_cast<const popart::ConcatOp&>(op).getAxis()));
        return a;
      }};
}

BuiltinClass conv() {
  return {onnx, "Conv", typeid(popart::ConvOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto list = [&](const char* name) {
              return a.getAttribute<Attributes::Ints>(name, {});
            };
            const auto type = popart::HasReceptiveFieldOp::getAutoPad(
                a.getAttribute<Attributes::String>("auto_pad", ""));
            return Made(new popart::ConvOp(opid, settings, list("strides"), list("pads"),
                                           list("dilations"),
                                           a.getAttribute<Attributes::Int>("group", 1), type,
                                           popart::MultiConvOptions({}, a)));
          },
          [](const Op& op) {
            const auto& conv = static_cast<const popart::ConvOp&>(op);
            Attributes a = conv.nodeAttributes();
            a.setAttribute("group", Attributes::Int(conv.givenGroup()));
            return a;
          }};
}

BuiltinClass convTranspose() {
  return {onnx, "ConvTranspose", typeid(popart::ConvTransposeOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto list = [&](const char* name) {
              return a.getAttribute<Attributes::Ints>(name, {});
            };
            const auto type = popart::HasReceptiveFieldOp::getAutoPad(
                a.getAttribute<Attributes::String>("auto_pad", ""));
            return Made(new popart::ConvTransposeOp(
                opid, settings, list("strides"), list("pads"), list("dilations"),
                a.getAttribute<Attributes::Int>("group", 1), type, list("output_padding"),
                list("output_shape"), popart::MultiConvOptions({}, a)));
          },
          [](const Op& op) {
            return static_cast<const popart::ConvTransposeOp&>(op).nodeAttributes();
          }};
}

template <class OP>
BuiltinClass dynamic(const char* type) {
  return {graphcore, type, typeid(OP),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto list = [&](const char* name) {
              return a.getAttribute<Attributes::Ints>(name, {});
            };
            const bool noOverlap = a.getAttribute<Attributes::Int>("noOverlap", 0) != 0;
            return Made(new OP(opid, list("axes"), list("sizes"), noOverlap, settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::DynamicBaseOp&>(op);
            Attributes a;
            a.setAttribute("axes", made.getAxes());
            a.setAttribute("sizes", made.getSizes());
            a.setAttribute("noOverlap", Attributes::Int(made.isNotOverlapping() ? 1 : 0));
            return a;
          }};
}

/// Amounts are attributes before opset 11; later they are inputs.
BuiltinClass pad() {
  return {onnx, "Pad", typeid(popart::PadOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::PadOp(opid, a.getAttribute<Attributes::Ints>("pads", {}), {},
                                          a.getAttribute<Attributes::Float>("value", 0.0f),
                                          a.getAttribute<Attributes::String>("mode", "constant"),
                                          settings));
          },
          [](const Op& op) {
            const auto& pad = static_cast<const popart::PadOp&>(op);
            if (!pad.getFlips().empty())
              throw popart::error("{} reverses dimensions, which the compiler's Pad does not do",
                                  pad.debugName());
            Attributes a;
            a.setAttribute("mode", pad.getMode());
            if (op.opid.version >= 11) return a;
            a.setAttribute("pads", pad.getPads());
            a.setAttribute("value", pad.getPadValue());
            return a;
          }};
}

/// A value that the graph has as an attribute if it is constant, else as an input.
popart::OptimizerValue optimizerValue(const Attributes& a, const char* name) {
  if (!a.hasAttribute(name)) return {0.0f, false};
  return {a.getAttribute<Attributes::Float>(name), true};
}

BuiltinClass sgd0() {
  return {graphcore, "SGD0VarUpdate", typeid(popart::SGD0VarUpdateOp),
          [](const OperatorIdentifier&, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::SGD0VarUpdateOp(optimizerValue(a, "scaledLearningRate0"),
                                                    optimizerValue(a, "weightDecayScaleFactor0"),
                                                    settings));
          },
          nullptr};
}

BuiltinClass adam() {
  return {graphcore, "AdamVarUpdate", typeid(popart::AdamVarUpdateOp),
          [](const OperatorIdentifier&, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::AdamVarUpdateOp(optimizerValue(a, "learningRate"),
                                                    optimizerValue(a, "maxWeightNorm"), settings));
          },
          nullptr};
}

constexpr char rate1[] = "scaledLearningRate1";
constexpr char rate2[] = "scaledLearningRate2";

template <class OP, const char* RATE>
BuiltinClass momentum(const char* type) {
  return {graphcore, type, typeid(OP),
          [](const OperatorIdentifier&, const Op::Settings& settings, const Attributes& a) {
            return Made(new OP(optimizerValue(a, RATE), settings));
          },
          nullptr};
}

BuiltinClass scaled() {
  return {
      graphcore, "AdaptiveVarUpdate", typeid(popart::ScaledVarUpdateOp),
      [](const OperatorIdentifier&, const Op::Settings& settings, const Attributes& a) {
        return Made(new popart::ScaledVarUpdateOp(
            optimizerValue(a, "learningRate"), optimizerValue(a, "weightDecay"), false, settings));
      },
      nullptr};
}

BuiltinClass accumulate() {
  return {graphcore, "Accumulate", typeid(popart::AccumulateOp),
          [](const OperatorIdentifier&, const Op::Settings& settings, const Attributes& a) {
            using Type = popart::AccumulationType;
            const auto mode = a.getAttribute<Attributes::String>("mode");
            if (mode == "Mean")
              return Made(new popart::AccumulateOp(Type::Mean, {0.0f, false}, settings));
            if (mode == "Add")
              return Made(new popart::AccumulateOp(Type::Add, {1.0f, true}, settings));
            return Made(new popart::SGD1AccumulateOp("", optimizerValue(a, "dampeningScaleFactor1"),
                                                     settings));
          },
          nullptr};
}

BuiltinClass accumulatorZero() {
  return {graphcore, "AccumulatorZero", typeid(popart::AccumulatorZeroOp),
          [](const OperatorIdentifier&, const Op::Settings& settings, const Attributes&) {
            return Made(new popart::AccumulatorZeroOp(settings));
          },
          nullptr};
}

const char* const* accumulationTypes() {
  static const char* const names[] = {"Add", "DampenedAdd", "DampenedAddSquare", nullptr};
  return names;
}

BuiltinClass sparseAccumulate() {
  return {graphcore, "PopartSparseAccumulate", typeid(popart::SparseAccumulateOp),
          [](const OperatorIdentifier&, const Op::Settings& settings, const Attributes& a) {
            const auto mode = a.getAttribute<Attributes::String>("mode");
            int type = 0;
            while (mode != accumulationTypes()[type]) ++type;
            const auto axis = a.getAttribute<Attributes::Int>("axis");
            return Made(new popart::SparseAccumulateOp(static_cast<popart::AccumulationType>(type),
                                                       optimizerValue(a, "factor"),
                                                       static_cast<unsigned>(axis), settings));
          },
          [](const Op& op) {
            const auto& made = static_cast<const popart::SparseAccumulateOp&>(op);
            Attributes a;
            a.setAttribute(
                "mode",
                std::string(accumulationTypes()[static_cast<int>(made.getAccumulationType())]));
            a.setAttribute("axis", Attributes::Int(made.getAxis()));
            if (made.getFactor().isConst()) a.setAttribute("factor", made.getFactor().val());
            return a;
          }};
}

BuiltinClass transposeInplace() {
  return {graphcore, "TransposeInplace", typeid(popart::TransposeInplaceOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::TransposeInplaceOp(
                opid, a.getAttribute<Attributes::Ints>("perm", {}), settings));
          },
          [](const Op& op) {
            const auto& transpose = static_cast<const popart::TransposeInplaceOp&>(op);
            Attributes a;
            if (!transpose.getPerm().empty()) a.setAttribute("perm", transpose.getPerm());
            return a;
          }};
}

/// Element types by their numbers in ONNX.
const std::map<int64_t, popart::DataType>& onnxTypes() {
  using T = popart::DataType;
  static const std::map<int64_t, T> types = {{1, T::FLOAT},   {2, T::UINT8},   {3, T::INT8},
                                             {4, T::UINT16},  {5, T::INT16},   {6, T::INT32},
                                             {7, T::INT64},   {9, T::BOOL},    {10, T::FLOAT16},
                                             {11, T::DOUBLE}, {12, T::UINT32}, {13, T::UINT64}};
  return types;
}

const std::vector<BuiltinClass>& rows() {
  static const std::vector<BuiltinClass> all = [] {
    std::vector<BuiltinClass> made = {plainRow<popart::AddOp>("Add"),
                                      plainRow<popart::SubtractOp>("Sub"),
                                      plainRow<popart::MulOp>("Mul"),
                                      plainRow<popart::DivOp>("Div"),
                                      plainRow<popart::NegateOp>("Neg"),
                                      plainRow<popart::ReluOp>("Relu"),
                                      plainRow<popart::SqrtOp>("Sqrt"),
                                      plainRow<popart::ExpOp>("Exp"),
                                      plainRow<popart::LogOp>("Log"),
                                      plainRow<popart::AbsOp>("Abs"),
                                      plainRow<popart::TanhOp>("Tanh"),
                                      plainRow<popart::SigmoidOp>("Sigmoid"),
                                      plainRow<popart::SinOp>("Sin"),
                                      plainRow<popart::CosOp>("Cos"),
                                      plainRow<popart::TanOp>("Tan"),
                                      plainRow<popart::FloorOp>("Floor"),
                                      plainRow<popart::CeilOp>("Ceil"),
                                      plainRow<popart::ReciprocalOp>("Reciprocal"),
                                      plainRow<popart::ErfOp>("Erf"),
                                      plainRow<popart::SignOp>("Sign"),
                                      plainRow<popart::SoftSignOp>("Softsign"),
                                      plainRow<popart::IdentityOp>("Identity"),
                                      plainRow<popart::SumOp>("Sum"),
                                      plainRow<popart::MeanOp>("Mean"),
                                      dropout(),
                                      batchNorm(onnx),
                                      batchNorm(graphcore),
                                      groupNorm(),
                                      reshape(onnx),
                                      reshape(graphcore),
                                      gather(onnx, "Gather"),
                                      gather(graphcore, "GroupedGather"),
                                      l1(),
                                      nll(),
                                      matMul(),
                                      matMulGrad<popart::MatMulLhsGradOp>("MatMulLhsGrad"),
                                      matMulGrad<popart::MatMulRhsGradOp>("MatMulRhsGrad"),
                                      slice(onnx),
                                      slice(graphcore),
                                      transpose(),
                                      softmax(),
                                      plainRow<popart::SoftmaxGradOp>("SoftmaxGrad", graphcore),
                                      dropoutGrad(),
                                      init(),
                                      clip(),
                                      plainRow<popart::DetachOp>("Detach", graphcore),
                                      cast(),
                                      scale(),
                                      scaledAdd(),
                                      concat(),
                                      conv(),
                                      convTranspose(),
                                      dynamic<popart::DynamicSliceOp>("DynamicSlice"),
                                      dynamic<popart::DynamicUpdateOp>("DynamicUpdate"),
                                      dynamic<popart::DynamicAddOp>("DynamicAdd"),
                                      dynamic<popart::DynamicZeroOp>("DynamicZero"),
                                      pad(),
                                      plainRow<popart::CallOp>("Call", graphcore),
                                      loop(),
                                      choice(),
                                      printTensor(),
                                      ipuCopy(),
                                      stash<popart::StashOp>("Stash"),
                                      stash<popart::RestoreOp>("Restore"),
                                      inplaceRow<popart::AddLhsInplaceOp>("AddLhsInplace"),
                                      inplaceRow<popart::AddRhsInplaceOp>("AddRhsInplace"),
                                      inplaceRow<popart::ReluInplaceOp>("ReluInplace"),
                                      transposeInplace(),
                                      sgd0(),
                                      momentum<popart::SGD1VarUpdateOp, rate1>("SGD1VarUpdate"),
                                      momentum<popart::SGD2VarUpdateOp, rate2>("SGD2VarUpdate"),
                                      adam(),
                                      scaled(),
                                      accumulate(),
                                      accumulatorZero(),
                                      plainRow<popart::CopyVarUpdateOp>("CopyVarUpdate", graphcore),
                                      sparseAccumulate()};
    for (const auto& others : {functionRows(), modelRows()})
      made.insert(made.end(), others.begin(), others.end());
    return made;
  }();
  return all;
}

}  // namespace

popart::DataType typeOf(int64_t number) {
  const auto known = onnxTypes().find(number);
  return known == onnxTypes().end() ? popart::DataType::UNDEFINED : known->second;
}

Attributes::Int numberOf(popart::DataType type) {
  for (const auto& known : onnxTypes())
    if (known.second == type) return known.first;
  return 0;
}

const BuiltinClass* builtinClass(const OperatorIdentifier& opid) {
  static const auto* all = [] {
    auto* made = new std::map<std::pair<std::string, std::string>, const BuiltinClass*>;
    for (const BuiltinClass& row : rows())
      made->emplace(std::make_pair(row.type, row.domain), &row);
    return made;
  }();
  const auto found = all->find({opid.type, opid.domain});
  return found == all->end() ? nullptr : found->second;
}

const BuiltinClass* builtinClass(const Op& op) {
  const BuiltinClass* row = builtinClass(op.opid);
  if (row == nullptr || row->attributes == nullptr) return nullptr;
  const std::type_index cls(typeid(op));
  // The call of a gradient graph runs as any call.
  return row->cls == cls ||
                 (row->cls == typeid(popart::CallOp) && cls == typeid(popart::CallGradOp))
             ? row
             : nullptr;
}

}  // namespace popir
