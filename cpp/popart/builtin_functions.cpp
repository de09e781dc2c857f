// Rows of the table of classes: functions, comparisons, activations, reductions, Gemm and recurrent
// layers.
#include <popart/op/and.hpp>
#include <popart/op/asin.hpp>
#include <popart/op/atan.hpp>
#include <popart/op/atan2.hpp>
#include <popart/op/castthenpow2scale.hpp>
#include <popart/op/cosh.hpp>
#include <popart/op/elu.hpp>
#include <popart/op/equal.hpp>
#include <popart/op/expm1.hpp>
#include <popart/op/fmod.hpp>
#include <popart/op/gelu.hpp>
#include <popart/op/geluerf.hpp>
#include <popart/op/gemm.hpp>
#include <popart/op/greater.hpp>
#include <popart/op/gru.hpp>
#include <popart/op/hardsigmoid.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/incrementmod.hpp>
#include <popart/op/isinf.hpp>
#include <popart/op/isnan.hpp>
#include <popart/op/leakyrelu.hpp>
#include <popart/op/less.hpp>
#include <popart/op/log1p.hpp>
#include <popart/op/lrn.hpp>
#include <popart/op/lstm.hpp>
#include <popart/op/max.hpp>
#include <popart/op/min.hpp>
#include <popart/op/nearbyint.hpp>
#include <popart/op/not.hpp>
#include <popart/op/or.hpp>
#include <popart/op/pow.hpp>
#include <popart/op/pow2scalethencast.hpp>
#include <popart/op/reducel1.hpp>
#include <popart/op/reducel2.hpp>
#include <popart/op/reducelogsum.hpp>
#include <popart/op/reducelogsumexp.hpp>
#include <popart/op/reducemax.hpp>
#include <popart/op/reducemean.hpp>
#include <popart/op/reducemin.hpp>
#include <popart/op/reduceprod.hpp>
#include <popart/op/reducesum.hpp>
#include <popart/op/reducesumsquare.hpp>
#include <popart/op/rnn.hpp>
#include <popart/op/round.hpp>
#include <popart/op/selu.hpp>
#include <popart/op/shrink.hpp>
#include <popart/op/sinh.hpp>
#include <popart/op/slice.hpp>
#include <popart/op/softplus.hpp>
#include <popart/op/swish.hpp>
#include <popart/op/thresholdedrelu.hpp>

#include <string>

#include "popart/builtin_rows.hpp"

namespace popir {
namespace {

using popart::ActivationFunction;
using popart::Attributes;
using popart::Op;
using popart::OperatorIdentifier;
using Made = std::unique_ptr<Op>;

float one() { return 1.0f; }
float hundredth() { return 0.01f; }

/// One number, and what it is where a node does not say.
template <class OP, auto GET, float (*USUAL)()>
BuiltinClass withAlpha(const char* type) {
  return {
      "ai.onnx", type, typeid(OP),
      [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
        return Made(new OP(opid, a.getAttribute<Attributes::Float>("alpha", USUAL()), settings));
      },
      [](const Op& op) {
        Attributes a;
        a.setAttribute("alpha", (static_cast<const OP&>(op).*GET)());
        return a;
      }};
}

/// ONNX's numbers: the bounds of a self-normalizing network.
BuiltinClass selu() {
  return {"ai.onnx", "Selu", typeid(popart::SeluOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::SeluOp(
                opid, a.getAttribute<Attributes::Float>("alpha", 1.67326319f),
                a.getAttribute<Attributes::Float>("gamma", 1.05070102f), settings));
          },
          [](const Op& op) {
            const auto& selu = static_cast<const popart::SeluOp&>(op);
            Attributes a;
            a.setAttribute("alpha", selu.getAlpha());
            a.setAttribute("gamma", selu.getGamma());
            return a;
          }};
}

BuiltinClass hardSigmoid() {
  return {"ai.onnx", "HardSigmoid", typeid(popart::HardSigmoidOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::HardSigmoidOp(
                opid, a.getAttribute<Attributes::Float>("alpha", 0.2f),
                a.getAttribute<Attributes::Float>("beta", 0.5f), settings));
          },
          [](const Op& op) {
            const auto& sigmoid = static_cast<const popart::HardSigmoidOp&>(op);
            Attributes a;
            a.setAttribute("alpha", sigmoid.getAlpha());
            a.setAttribute("beta", sigmoid.getBeta());
            return a;
          }};
}

BuiltinClass shrink() {
  return {"ai.onnx", "Shrink", typeid(popart::ShrinkOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::ShrinkOp(opid, a.getAttribute<Attributes::Float>("lambd", 0.5f),
                                             a.getAttribute<Attributes::Float>("bias", 0.0f),
                                             settings));
          },
          [](const Op& op) {
            const auto& shrink = static_cast<const popart::ShrinkOp&>(op);
            Attributes a;
            a.setAttribute("lambd", shrink.lambd());
            a.setAttribute("bias", shrink.bias());
            return a;
          }};
}

BuiltinClass incrementMod() {
  return {"ai.graphcore", "IncrementMod", typeid(popart::IncrementModOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(
                new popart::IncrementModOp(opid, a.getAttribute<Attributes::Float>("increment"),
                                           a.getAttribute<Attributes::Float>("modulus"), settings));
          },
          [](const Op& op) {
            const auto& increment = static_cast<const popart::IncrementModOp&>(op);
            Attributes a;
            a.setAttribute("increment", static_cast<float>(increment.getIncrement()));
            a.setAttribute("modulus", static_cast<float>(increment.getModulus()));
            return a;
          }};
}

BuiltinClass lrn() {
  return {"ai.onnx", "LRN", typeid(popart::LRNOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::LRNOp(opid, a.getAttribute<Attributes::Float>("alpha", 1e-4f),
                                          a.getAttribute<Attributes::Float>("beta", 0.75f),
                                          a.getAttribute<Attributes::Float>("bias", 1.0f),
                                          a.getAttribute<Attributes::Int>("size"), settings));
          },
          [](const Op& op) {
            const auto& lrn = static_cast<const popart::LRNOp&>(op);
            Attributes a;
            a.setAttribute("alpha", lrn.getAlpha());
            a.setAttribute("beta", lrn.getBeta());
            a.setAttribute("bias", lrn.getBias());
            a.setAttribute("size", lrn.getSize());
            return a;
          }};
}

/// Axes are an attribute; from opset 18 on, of sums from 13 on, an input.
template <class OP>
BuiltinClass reduction(const char* type) {
  return {"ai.onnx", type, typeid(OP),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            nonstd::optional<std::vector<int64_t>> axes;
            if (a.hasAttribute("axes")) axes = a.getAttribute<Attributes::Ints>("axes");
            const auto keep = a.getAttribute<Attributes::Int>("keepdims", 1);
            std::unique_ptr<OP> made(new OP(opid, axes, keep, settings));
            if (a.getAttribute<Attributes::Int>("noop_with_empty_axes", 0) != 0)
              made->keepAllWithoutAxes();
            return Made(std::move(made));
          },
          [](const Op& op) {
            const auto& reduce = static_cast<const popart::ReduceOp&>(op);
            Attributes a;
            a.setAttribute("keepdims", Attributes::Int(reduce.getKeepDims() ? 1 : 0));
            if (!reduce.hasAxes()) return a;
            if (op.opid.version >= (op.opid.type == "ReduceSum" ? 13 : 18))
              throw popart::error("{}: {} has its axes as an input, not as an attribute",
                                  op.debugName(), op.opid);
            a.setAttribute("axes", reduce.getAxes());
            return a;
          }};
}

BuiltinClass gemm() {
  return {"ai.onnx", "Gemm", typeid(popart::GemmOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::GemmOp(opid, a.getAttribute<Attributes::Float>("alpha", 1.0f),
                                           a.getAttribute<Attributes::Float>("beta", 1.0f),
                                           a.getAttribute<Attributes::Int>("transA", 0) != 0,
                                           a.getAttribute<Attributes::Int>("transB", 0) != 0,
                                           settings));
          },
          [](const Op& op) {
            const auto& gemm = static_cast<const popart::GemmOp&>(op);
            Attributes a;
            a.setAttribute("alpha", gemm.getAlpha());
            a.setAttribute("beta", gemm.getBeta());
            a.setAttribute("transA", Attributes::Int(gemm.getTransA() ? 1 : 0));
            a.setAttribute("transB", Attributes::Int(gemm.getTransB() ? 1 : 0));
            return a;
          }};
}

/// The function in place `i` of a node's activations.
ActivationFunction activation(const Attributes& a, std::size_t i, ActivationFunction usual) {
  const auto names = a.getAttribute<Attributes::Strings>("activations", {});
  return i < names.size() ? popart::fromString(names[i]) : usual;
}

/// ONNX's name.
std::string onnxName(const Op& op, ActivationFunction function) {
  switch (function) {
    case ActivationFunction::Sigmoid: return "Sigmoid";
    case ActivationFunction::Tanh: return "Tanh";
    case ActivationFunction::Relu: return "Relu";
    case ActivationFunction::Invalid: return "Invalid";  // ONNX has some that PopART has not
    default:
      throw popart::error("{}: the activation {} is none that the compiler's recurrent layers have",
                          op.debugName(), static_cast<int>(function));
  }
}

nonstd::optional<int64_t> hiddenSize(const Attributes& a) {
  if (!a.hasAttribute("hidden_size")) return {};
  return a.getAttribute<Attributes::Int>("hidden_size");
}

Attributes hiddenOf(const Op& op) {
  const auto size = static_cast<const popart::BaseOnnxRNNOp&>(op).getHiddenSizeAttribute();
  Attributes a;
  if (size) a.setAttribute("hidden_size", Attributes::Int(*size));
  return a;
}

nonstd::optional<float> memoryShare(const Attributes& a) {
  if (!a.hasAttribute("__available_memory")) return {};
  return a.getAttribute<Attributes::Float>("__available_memory");
}

BuiltinClass rnn() {
  return {"ai.onnx", "RNN", typeid(popart::RNNOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::RNNOp(opid, activation(a, 0, ActivationFunction::Tanh),
                                          hiddenSize(a), settings));
          },
          [](const Op& op) {
            const auto& rnn = static_cast<const popart::RNNOp&>(op);
            Attributes a = hiddenOf(op);
            a.setAttribute("activations",
                           Attributes::Strings{onnxName(op, rnn.activation_attribute)});
            return a;
          }};
}

BuiltinClass gru() {
  return {"ai.onnx", "GRU", typeid(popart::GRUOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::GRUOp(
                opid, hiddenSize(a), a.getAttribute<Attributes::String>("direction", "forward"),
                a.getAttribute<Attributes::Int>("linear_before_reset", 0) != 0, settings));
          },
          [](const Op& op) {
            const auto& gru = static_cast<const popart::GRUOp&>(op);
            Attributes a = hiddenOf(op);
            a.setAttribute("direction", gru.getDirectionAttribute());
            a.setAttribute("linear_before_reset",
                           Attributes::Int(gru.getLinearBeforeResetAttribute()));
            return a;
          }};
}

/// A node's activations are those of the gates, of the cell's candidate and of the state.
BuiltinClass lstm() {
  return {"ai.onnx", "LSTM", typeid(popart::LSTMOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            return Made(new popart::LSTMOp(
                opid, hiddenSize(a), activation(a, 1, ActivationFunction::Tanh),
                activation(a, 0, ActivationFunction::Sigmoid), settings, memoryShare(a)));
          },
          [](const Op& op) {
            const auto& lstm = static_cast<const popart::LSTMOp&>(op);
            const std::string cell = onnxName(op, lstm.getActivation());
            Attributes a = hiddenOf(op);
            a.setAttribute(
                "activations",
                Attributes::Strings{onnxName(op, lstm.getRecurrentActivation()), cell, cell});
            return a;
          }};
}

BuiltinClass popartLstm() {
  return {"ai.graphcore", "LSTM", typeid(popart::PopartLSTMOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const bool full = a.getAttribute<Attributes::Int>("outputFullSequence", 1) != 0;
            return Made(new popart::PopartLSTMOp(opid, full, settings, memoryShare(a)));
          },
          [](const Op& op) {
            const auto& lstm = static_cast<const popart::PopartLSTMOp&>(op);
            if (lstm.getActivation() != ActivationFunction::Tanh ||
                lstm.getRecurrentActivation() != ActivationFunction::Sigmoid)
              throw popart::error(
                  "{}: the compiler's LSTM of ai.graphcore has tanh and sigmoid alone",
                  op.debugName());
            Attributes a;
            a.setAttribute("outputFullSequence", Attributes::Int(lstm.outputFullSequence ? 1 : 0));
            return a;
          }};
}

}  // namespace

/// A cast to or from 8-bit floats.
template <class OP>
BuiltinClass pow2Cast(const char* type) {
  return {"ai.graphcore", type, typeid(OP),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto to = a.getAttribute<Attributes::String>("to", "FLOAT16");
            return Made(new OP(opid, popart::dataTypeFromString(to), settings));
          },
          [](const Op& op) {
            const auto to = static_cast<const OP&>(op).toDataType();
            Attributes a;
            a.setAttribute("to", popart::TensorInfo(to, {}).data_type());
            return a;
          }};
}

BuiltinClass identityLoss() {
  return {"ai.graphcore", "IdentityLoss", typeid(popart::IdentityLossOp),
          [](const OperatorIdentifier& opid, const Op::Settings& settings, const Attributes& a) {
            const auto reduction = popart::LossOp::reductionTypeFromString(
                a.getAttribute<Attributes::String>("reduction", "Mean"));
            return Made(new popart::IdentityLossOp(opid, reduction, settings));
          },
          [](const Op& op) {
            Attributes a;
            a.setAttribute("reduction",
                           popart::LossOp::reductionTypeToString(
                               static_cast<const popart::IdentityLossOp&>(op).getReductionType()));
            return a;
          }};
}

std::vector<BuiltinClass> functionRows() {
  return {identityLoss(),
          plainRow<popart::AsinOp>("Asin"),
          plainRow<popart::AtanOp>("Atan"),
          plainRow<popart::CoshOp>("Cosh"),
          plainRow<popart::SinhOp>("Sinh"),
          plainRow<popart::Expm1Op>("Expm1", graphcore),
          pow2Cast<popart::Pow2ScaleThenCastOp>("Pow2ScaleThenCast"),
          pow2Cast<popart::CastThenPow2ScaleOp>("CastThenPow2Scale"),
          plainRow<popart::Log1pOp>("Log1p", graphcore),
          plainRow<popart::SliceGradOp>("SliceGrad", graphcore),
          plainRow<popart::GeluOp>("Gelu", graphcore),
          plainRow<popart::GeluErfOp>("GeluErf", graphcore),
          plainRow<popart::SwishOp>("Swish", graphcore),
          plainRow<popart::SoftPlusOp>("Softplus"),
          plainRow<popart::RoundOp>("Round"),
          plainRow<popart::RoundOp>("Round", graphcore),
          plainRow<popart::NearbyIntOp>("NearbyInt", graphcore),
          plainRow<popart::NotOp>("Not"),
          plainRow<popart::IsInf>("IsInf"),
          plainRow<popart::IsNaN>("IsNaN"),
          plainRow<popart::EqualOp>("Equal"),
          plainRow<popart::LessOp>("Less"),
          plainRow<popart::GreaterOp>("Greater"),
          plainRow<popart::AndOp>("And"),
          plainRow<popart::OrOp>("Or"),
          plainRow<popart::PowOp>("Pow"),
          plainRow<popart::FmodOp>("Fmod", graphcore),
          plainRow<popart::Atan2Op>("Atan2", graphcore),
          plainRow<popart::MaxOp>("Max"),
          plainRow<popart::MinOp>("Min"),
          withAlpha<popart::EluOp, &popart::EluOp::alpha, one>("Elu"),
          withAlpha<popart::LeakyReluOp, &popart::LeakyReluOp::getAlpha, hundredth>("LeakyRelu"),
          withAlpha<popart::ThresholdedReluOp, &popart::ThresholdedReluOp::getAlpha, one>(
              "ThresholdedRelu"),
          selu(),
          hardSigmoid(),
          shrink(),
          incrementMod(),
          lrn(),
          reduction<popart::ReduceSumOp>("ReduceSum"),
          reduction<popart::ReduceMeanOp>("ReduceMean"),
          reduction<popart::ReduceMaxOp>("ReduceMax"),
          reduction<popart::ReduceMinOp>("ReduceMin"),
          reduction<popart::ReduceProdOp>("ReduceProd"),
          reduction<popart::ReduceSumSquareOp>("ReduceSumSquare"),
          reduction<popart::ReduceL1Op>("ReduceL1"),
          reduction<popart::ReduceL2Op>("ReduceL2"),
          reduction<popart::ReduceLogSumOp>("ReduceLogSum"),
          reduction<popart::ReduceLogSumExpOp>("ReduceLogSumExp"),
          gemm(),
          rnn(),
          gru(),
          lstm(),
          popartLstm()};
}

}  // namespace popir
