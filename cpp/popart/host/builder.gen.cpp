// The bodies of popart/builder.gen.hpp.
// clang-format off
// Written by cpp/popart/host/gen_builder.py from the schemas of onnx; do not edit.
#include "popart/host/builder.hpp"

namespace popart {

using popir::python::constantNode;
using popir::python::ids;
using popir::python::node;
using popir::python::valueOf;

TensorId AiOnnxOpset6::abs(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "abs", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::add(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis, int64_t broadcast, const DebugContext& debugContext) {
  return node(*this, "add", {args}, {{"axis", axis}, {"broadcast", broadcast}}, debugContext).text();
}

TensorId AiOnnxOpset6::argmax(const std::vector<TensorId>& args, int64_t axis, int64_t keepdims, const DebugContext& debugContext) {
  return node(*this, "argmax", {args}, {{"axis", axis}, {"keepdims", keepdims}}, debugContext).text();
}

TensorId AiOnnxOpset6::argmin(const std::vector<TensorId>& args, int64_t axis, int64_t keepdims, const DebugContext& debugContext) {
  return node(*this, "argmin", {args}, {{"axis", axis}, {"keepdims", keepdims}}, debugContext).text();
}

TensorId AiOnnxOpset6::averagepool(const std::vector<TensorId>& args, const std::vector<int64_t>& kernel_shape, const std::vector<int64_t>& pads, const std::vector<int64_t>& strides, const DebugContext& debugContext) {
  return node(*this, "averagepool", {args}, {{"kernel_shape", kernel_shape}, {"pads", pads}, {"strides", strides}}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset6::batchnormalization(const std::vector<TensorId>& args, unsigned num_outputs, float epsilon, int64_t is_test, float momentum, int64_t spatial, const DebugContext& debugContext) {
  return ids(node(*this, "batchnormalization", {args, num_outputs}, {{"epsilon", epsilon}, {"is_test", is_test}, {"momentum", momentum}, {"spatial", spatial}}, debugContext));
}

TensorId AiOnnxOpset6::cast(const std::vector<TensorId>& args, const std::string& to, const DebugContext& debugContext) {
  return node(*this, "cast", {args}, {{"to", to}}, debugContext).text();
}

TensorId AiOnnxOpset6::ceil(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "ceil", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::clip(const std::vector<TensorId>& args, float max, float min, const DebugContext& debugContext) {
  return node(*this, "clip", {args}, {{"max", max}, {"min", min}}, debugContext).text();
}

TensorId AiOnnxOpset6::concat(const std::vector<TensorId>& args, int64_t axis, const DebugContext& debugContext) {
  return node(*this, "concat", {args}, {{"axis", axis}}, debugContext).text();
}

TensorId AiOnnxOpset6::constant(const ConstVoidData& value, const DebugContext& debugContext) {
  return constantNode(*this, value, false, debugContext);
}

TensorId AiOnnxOpset6::conv(const std::vector<TensorId>& args, const std::vector<int64_t>& dilations, int64_t group, const std::vector<int64_t>& kernel_shape, const std::vector<int64_t>& pads, const std::vector<int64_t>& strides, const DebugContext& debugContext) {
  return node(*this, "conv", {args}, {{"dilations", dilations}, {"group", group}, {"kernel_shape", kernel_shape}, {"pads", pads}, {"strides", strides}}, debugContext).text();
}

TensorId AiOnnxOpset6::convtranspose(const std::vector<TensorId>& args, const std::vector<int64_t>& dilations, int64_t group, const std::vector<int64_t>& kernel_shape, const std::vector<int64_t>& output_padding, const std::vector<int64_t>& output_shape, const std::vector<int64_t>& pads, const std::vector<int64_t>& strides, const DebugContext& debugContext) {
  return node(*this, "convtranspose", {args}, {{"dilations", dilations}, {"group", group}, {"kernel_shape", kernel_shape}, {"output_padding", output_padding}, {"output_shape", output_shape}, {"pads", pads}, {"strides", strides}}, debugContext).text();
}

TensorId AiOnnxOpset6::depthtospace(const std::vector<TensorId>& args, int64_t blocksize, const DebugContext& debugContext) {
  return node(*this, "depthtospace", {args}, {{"blocksize", blocksize}}, debugContext).text();
}

TensorId AiOnnxOpset6::div(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis, int64_t broadcast, const DebugContext& debugContext) {
  return node(*this, "div", {args}, {{"axis", axis}, {"broadcast", broadcast}}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset6::dropout(const std::vector<TensorId>& args, unsigned num_outputs, int64_t is_test, float ratio, const DebugContext& debugContext) {
  return ids(node(*this, "dropout", {args, num_outputs}, {{"is_test", is_test}, {"ratio", ratio}}, debugContext));
}

TensorId AiOnnxOpset6::elu(const std::vector<TensorId>& args, float alpha, const DebugContext& debugContext) {
  return node(*this, "elu", {args}, {{"alpha", alpha}}, debugContext).text();
}

TensorId AiOnnxOpset6::equal(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis, int64_t broadcast, const DebugContext& debugContext) {
  return node(*this, "equal", {args}, {{"axis", axis}, {"broadcast", broadcast}}, debugContext).text();
}

TensorId AiOnnxOpset6::exp(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "exp", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::flatten(const std::vector<TensorId>& args, int64_t axis, const DebugContext& debugContext) {
  return node(*this, "flatten", {args}, {{"axis", axis}}, debugContext).text();
}

TensorId AiOnnxOpset6::floor(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "floor", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::gather(const std::vector<TensorId>& args, int64_t axis, const DebugContext& debugContext) {
  return node(*this, "gather", {args}, {{"axis", axis}}, debugContext).text();
}

TensorId AiOnnxOpset6::gemm(const std::vector<TensorId>& args, float alpha, float beta, int64_t broadcast, int64_t transA, int64_t transB, const DebugContext& debugContext) {
  return node(*this, "gemm", {args}, {{"alpha", alpha}, {"beta", beta}, {"broadcast", broadcast}, {"transA", transA}, {"transB", transB}}, debugContext).text();
}

TensorId AiOnnxOpset6::globalaveragepool(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "globalaveragepool", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::globallppool(const std::vector<TensorId>& args, int64_t p, const DebugContext& debugContext) {
  return node(*this, "globallppool", {args}, {{"p", p}}, debugContext).text();
}

TensorId AiOnnxOpset6::globalmaxpool(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "globalmaxpool", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::greater(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis, int64_t broadcast, const DebugContext& debugContext) {
  return node(*this, "greater", {args}, {{"axis", axis}, {"broadcast", broadcast}}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset6::gru(const std::vector<TensorId>& args, unsigned num_outputs, const std::vector<float>& activation_alpha, const std::vector<float>& activation_beta, const std::vector<std::string>& activations, nonstd::optional<float> clip, const std::string& direction, nonstd::optional<int64_t> hidden_size, int64_t linear_before_reset, int64_t output_sequence, const DebugContext& debugContext) {
  return ids(node(*this, "gru", {args, num_outputs}, {{"activation_alpha", activation_alpha}, {"activation_beta", activation_beta}, {"activations", activations}, {"clip", clip}, {"direction", direction}, {"hidden_size", hidden_size}, {"linear_before_reset", linear_before_reset}, {"output_sequence", output_sequence}}, debugContext));
}

TensorId AiOnnxOpset6::hardmax(const std::vector<TensorId>& args, int64_t axis, const DebugContext& debugContext) {
  return node(*this, "hardmax", {args}, {{"axis", axis}}, debugContext).text();
}

TensorId AiOnnxOpset6::hardsigmoid(const std::vector<TensorId>& args, float alpha, float beta, const DebugContext& debugContext) {
  return node(*this, "hardsigmoid", {args}, {{"alpha", alpha}, {"beta", beta}}, debugContext).text();
}

TensorId AiOnnxOpset6::identity(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "identity", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::instancenormalization(const std::vector<TensorId>& args, float epsilon, const DebugContext& debugContext) {
  return node(*this, "instancenormalization", {args}, {{"epsilon", epsilon}}, debugContext).text();
}

TensorId AiOnnxOpset6::leakyrelu(const std::vector<TensorId>& args, float alpha, const DebugContext& debugContext) {
  return node(*this, "leakyrelu", {args}, {{"alpha", alpha}}, debugContext).text();
}

TensorId AiOnnxOpset6::less(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis, int64_t broadcast, const DebugContext& debugContext) {
  return node(*this, "less", {args}, {{"axis", axis}, {"broadcast", broadcast}}, debugContext).text();
}

TensorId AiOnnxOpset6::log(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "log", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::logical_and(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis, int64_t broadcast, const DebugContext& debugContext) {
  return node(*this, "logical_and", {args}, {{"axis", axis}, {"broadcast", broadcast}}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset6::logical_if(const std::vector<TensorId>& args, unsigned num_outputs, const Builder& else_branch, const Builder& then_branch, const DebugContext& debugContext) {
  return ids(node(*this, "logical_if", {args, num_outputs}, {{"else_branch", valueOf(else_branch)}, {"then_branch", valueOf(then_branch)}}, debugContext));
}

TensorId AiOnnxOpset6::logical_not(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "logical_not", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::logical_or(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis, int64_t broadcast, const DebugContext& debugContext) {
  return node(*this, "logical_or", {args}, {{"axis", axis}, {"broadcast", broadcast}}, debugContext).text();
}

TensorId AiOnnxOpset6::logical_xor(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis, int64_t broadcast, const DebugContext& debugContext) {
  return node(*this, "logical_xor", {args}, {{"axis", axis}, {"broadcast", broadcast}}, debugContext).text();
}

TensorId AiOnnxOpset6::logsoftmax(const std::vector<TensorId>& args, int64_t axis, const DebugContext& debugContext) {
  return node(*this, "logsoftmax", {args}, {{"axis", axis}}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset6::loop(const std::vector<TensorId>& args, unsigned num_outputs, const Builder& body, const DebugContext& debugContext) {
  return ids(node(*this, "loop", {args, num_outputs}, {{"body", valueOf(body)}}, debugContext));
}

TensorId AiOnnxOpset6::lpnormalization(const std::vector<TensorId>& args, int64_t axis, int64_t p, const DebugContext& debugContext) {
  return node(*this, "lpnormalization", {args}, {{"axis", axis}, {"p", p}}, debugContext).text();
}

TensorId AiOnnxOpset6::lppool(const std::vector<TensorId>& args, const std::vector<int64_t>& kernel_shape, int64_t p, const std::vector<int64_t>& pads, const std::vector<int64_t>& strides, const DebugContext& debugContext) {
  return node(*this, "lppool", {args}, {{"kernel_shape", kernel_shape}, {"p", p}, {"pads", pads}, {"strides", strides}}, debugContext).text();
}

TensorId AiOnnxOpset6::lrn(const std::vector<TensorId>& args, int64_t size, float alpha, float beta, float bias, const DebugContext& debugContext) {
  return node(*this, "lrn", {args}, {{"size", size}, {"alpha", alpha}, {"beta", beta}, {"bias", bias}}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset6::lstm(const std::vector<TensorId>& args, unsigned num_outputs, const std::vector<float>& activation_alpha, const std::vector<float>& activation_beta, const std::vector<std::string>& activations, nonstd::optional<float> clip, const std::string& direction, nonstd::optional<int64_t> hidden_size, int64_t input_forget, int64_t output_sequence, const DebugContext& debugContext) {
  return ids(node(*this, "lstm", {args, num_outputs}, {{"activation_alpha", activation_alpha}, {"activation_beta", activation_beta}, {"activations", activations}, {"clip", clip}, {"direction", direction}, {"hidden_size", hidden_size}, {"input_forget", input_forget}, {"output_sequence", output_sequence}}, debugContext));
}

TensorId AiOnnxOpset6::matmul(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "matmul", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::max(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "max", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::maxpool(const std::vector<TensorId>& args, const std::vector<int64_t>& kernel_shape, const std::vector<int64_t>& pads, const std::vector<int64_t>& strides, const DebugContext& debugContext) {
  return node(*this, "maxpool", {args}, {{"kernel_shape", kernel_shape}, {"pads", pads}, {"strides", strides}}, debugContext).text();
}

TensorId AiOnnxOpset6::maxroipool(const std::vector<TensorId>& args, const std::vector<int64_t>& pooled_shape, float spatial_scale, const DebugContext& debugContext) {
  return node(*this, "maxroipool", {args}, {{"pooled_shape", pooled_shape}, {"spatial_scale", spatial_scale}}, debugContext).text();
}

TensorId AiOnnxOpset6::mean(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "mean", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::min(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "min", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::mul(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis, int64_t broadcast, const DebugContext& debugContext) {
  return node(*this, "mul", {args}, {{"axis", axis}, {"broadcast", broadcast}}, debugContext).text();
}

TensorId AiOnnxOpset6::neg(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "neg", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::pad(const std::vector<TensorId>& args, const std::vector<int64_t>& pads, const std::string& mode, float value, const DebugContext& debugContext) {
  return node(*this, "pad", {args}, {{"pads", pads}, {"mode", mode}, {"value", value}}, debugContext).text();
}

TensorId AiOnnxOpset6::pow(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis, int64_t broadcast, const DebugContext& debugContext) {
  return node(*this, "pow", {args}, {{"axis", axis}, {"broadcast", broadcast}}, debugContext).text();
}

TensorId AiOnnxOpset6::prelu(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "prelu", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::randomnormal(const std::vector<int64_t>& shape, int64_t dtype, float mean, float scale, nonstd::optional<float> seed, const DebugContext& debugContext) {
  return node(*this, "randomnormal", {}, {{"shape", shape}, {"dtype", dtype}, {"mean", mean}, {"scale", scale}, {"seed", seed}}, debugContext).text();
}

TensorId AiOnnxOpset6::randomnormallike(const std::vector<TensorId>& args, nonstd::optional<int64_t> dtype, float mean, float scale, nonstd::optional<float> seed, const DebugContext& debugContext) {
  return node(*this, "randomnormallike", {args}, {{"dtype", dtype}, {"mean", mean}, {"scale", scale}, {"seed", seed}}, debugContext).text();
}

TensorId AiOnnxOpset6::randomuniform(const std::vector<int64_t>& shape, int64_t dtype, float high, float low, nonstd::optional<float> seed, const DebugContext& debugContext) {
  return node(*this, "randomuniform", {}, {{"shape", shape}, {"dtype", dtype}, {"high", high}, {"low", low}, {"seed", seed}}, debugContext).text();
}

TensorId AiOnnxOpset6::randomuniformlike(const std::vector<TensorId>& args, nonstd::optional<int64_t> dtype, float high, float low, nonstd::optional<float> seed, const DebugContext& debugContext) {
  return node(*this, "randomuniformlike", {args}, {{"dtype", dtype}, {"high", high}, {"low", low}, {"seed", seed}}, debugContext).text();
}

TensorId AiOnnxOpset6::reciprocal(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "reciprocal", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::reducel1(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims, const DebugContext& debugContext) {
  return node(*this, "reducel1", {args}, {{"axes", axes}, {"keepdims", keepdims}}, debugContext).text();
}

TensorId AiOnnxOpset6::reducel2(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims, const DebugContext& debugContext) {
  return node(*this, "reducel2", {args}, {{"axes", axes}, {"keepdims", keepdims}}, debugContext).text();
}

TensorId AiOnnxOpset6::reducelogsum(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims, const DebugContext& debugContext) {
  return node(*this, "reducelogsum", {args}, {{"axes", axes}, {"keepdims", keepdims}}, debugContext).text();
}

TensorId AiOnnxOpset6::reducelogsumexp(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims, const DebugContext& debugContext) {
  return node(*this, "reducelogsumexp", {args}, {{"axes", axes}, {"keepdims", keepdims}}, debugContext).text();
}

TensorId AiOnnxOpset6::reducemax(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims, const DebugContext& debugContext) {
  return node(*this, "reducemax", {args}, {{"axes", axes}, {"keepdims", keepdims}}, debugContext).text();
}

TensorId AiOnnxOpset6::reducemean(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims, const DebugContext& debugContext) {
  return node(*this, "reducemean", {args}, {{"axes", axes}, {"keepdims", keepdims}}, debugContext).text();
}

TensorId AiOnnxOpset6::reducemin(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims, const DebugContext& debugContext) {
  return node(*this, "reducemin", {args}, {{"axes", axes}, {"keepdims", keepdims}}, debugContext).text();
}

TensorId AiOnnxOpset6::reduceprod(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims, const DebugContext& debugContext) {
  return node(*this, "reduceprod", {args}, {{"axes", axes}, {"keepdims", keepdims}}, debugContext).text();
}

TensorId AiOnnxOpset6::reducesum(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims, const DebugContext& debugContext) {
  return node(*this, "reducesum", {args}, {{"axes", axes}, {"keepdims", keepdims}}, debugContext).text();
}

TensorId AiOnnxOpset6::reducesumsquare(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes, int64_t keepdims, const DebugContext& debugContext) {
  return node(*this, "reducesumsquare", {args}, {{"axes", axes}, {"keepdims", keepdims}}, debugContext).text();
}

TensorId AiOnnxOpset6::relu(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "relu", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::reshape(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "reshape", {args}, {}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset6::rnn(const std::vector<TensorId>& args, unsigned num_outputs, const std::vector<float>& activation_alpha, const std::vector<float>& activation_beta, const std::vector<std::string>& activations, nonstd::optional<float> clip, const std::string& direction, nonstd::optional<int64_t> hidden_size, int64_t output_sequence, const DebugContext& debugContext) {
  return ids(node(*this, "rnn", {args, num_outputs}, {{"activation_alpha", activation_alpha}, {"activation_beta", activation_beta}, {"activations", activations}, {"clip", clip}, {"direction", direction}, {"hidden_size", hidden_size}, {"output_sequence", output_sequence}}, debugContext));
}

TensorId AiOnnxOpset6::selu(const std::vector<TensorId>& args, float alpha, float gamma, const DebugContext& debugContext) {
  return node(*this, "selu", {args}, {{"alpha", alpha}, {"gamma", gamma}}, debugContext).text();
}

TensorId AiOnnxOpset6::shape(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "shape", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::sigmoid(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "sigmoid", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::size(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "size", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::slice(const std::vector<TensorId>& args, const std::vector<int64_t>& ends, const std::vector<int64_t>& starts, const std::vector<int64_t>& axes, const DebugContext& debugContext) {
  return node(*this, "slice", {args}, {{"ends", ends}, {"starts", starts}, {"axes", axes}}, debugContext).text();
}

TensorId AiOnnxOpset6::softmax(const std::vector<TensorId>& args, int64_t axis, const DebugContext& debugContext) {
  return node(*this, "softmax", {args}, {{"axis", axis}}, debugContext).text();
}

TensorId AiOnnxOpset6::softplus(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "softplus", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::softsign(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "softsign", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::spacetodepth(const std::vector<TensorId>& args, int64_t blocksize, const DebugContext& debugContext) {
  return node(*this, "spacetodepth", {args}, {{"blocksize", blocksize}}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset6::split(const std::vector<TensorId>& args, unsigned num_outputs, int64_t axis, const std::vector<int64_t>& split, const DebugContext& debugContext) {
  return ids(node(*this, "split", {args, num_outputs}, {{"axis", axis}, {"split", split}}, debugContext));
}

TensorId AiOnnxOpset6::sqrt(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "sqrt", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::squeeze(const std::vector<TensorId>& args, const std::vector<int64_t>& axes, const DebugContext& debugContext) {
  return node(*this, "squeeze", {args}, {{"axes", axes}}, debugContext).text();
}

TensorId AiOnnxOpset6::sub(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis, int64_t broadcast, const DebugContext& debugContext) {
  return node(*this, "sub", {args}, {{"axis", axis}, {"broadcast", broadcast}}, debugContext).text();
}

TensorId AiOnnxOpset6::sum(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "sum", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::tanh(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "tanh", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset6::tile(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "tile", {args}, {}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset6::topk(const std::vector<TensorId>& args, int64_t k, int64_t axis, const DebugContext& debugContext) {
  return ids(node(*this, "topk", {args}, {{"k", k}, {"axis", axis}}, debugContext));
}

TensorId AiOnnxOpset6::transpose(const std::vector<TensorId>& args, const std::vector<int64_t>& perm, const DebugContext& debugContext) {
  return node(*this, "transpose", {args}, {{"perm", perm}}, debugContext).text();
}

TensorId AiOnnxOpset6::unsqueeze(const std::vector<TensorId>& args, const std::vector<int64_t>& axes, const DebugContext& debugContext) {
  return node(*this, "unsqueeze", {args}, {{"axes", axes}}, debugContext).text();
}

TensorId AiOnnxOpset6::upsample(const std::vector<TensorId>& args, float height_scale, float width_scale, const std::string& mode, const DebugContext& debugContext) {
  return node(*this, "upsample", {args}, {{"height_scale", height_scale}, {"width_scale", width_scale}, {"mode", mode}}, debugContext).text();
}

TensorId AiOnnxOpset7::acos(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "acos", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset7::add(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "add", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset7::asin(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "asin", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset7::atan(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "atan", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset7::averagepool(const std::vector<TensorId>& args, const std::vector<int64_t>& kernel_shape, int64_t count_include_pad, const std::vector<int64_t>& pads, const std::vector<int64_t>& strides, const DebugContext& debugContext) {
  return node(*this, "averagepool", {args}, {{"kernel_shape", kernel_shape}, {"count_include_pad", count_include_pad}, {"pads", pads}, {"strides", strides}}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset7::batchnormalization(const std::vector<TensorId>& args, unsigned num_outputs, float epsilon, float momentum, int64_t spatial, const DebugContext& debugContext) {
  return ids(node(*this, "batchnormalization", {args, num_outputs}, {{"epsilon", epsilon}, {"momentum", momentum}, {"spatial", spatial}}, debugContext));
}

TensorId AiOnnxOpset7::cos(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "cos", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset7::div(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "div", {args}, {}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset7::dropout(const std::vector<TensorId>& args, unsigned num_outputs, float ratio, const DebugContext& debugContext) {
  return ids(node(*this, "dropout", {args, num_outputs}, {{"ratio", ratio}}, debugContext));
}

TensorId AiOnnxOpset7::equal(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "equal", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset7::gemm(const std::vector<TensorId>& args, float alpha, float beta, int64_t transA, int64_t transB, const DebugContext& debugContext) {
  return node(*this, "gemm", {args}, {{"alpha", alpha}, {"beta", beta}, {"transA", transA}, {"transB", transB}}, debugContext).text();
}

TensorId AiOnnxOpset7::greater(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "greater", {args}, {}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset7::gru(const std::vector<TensorId>& args, unsigned num_outputs, const std::vector<float>& activation_alpha, const std::vector<float>& activation_beta, const std::vector<std::string>& activations, nonstd::optional<float> clip, const std::string& direction, nonstd::optional<int64_t> hidden_size, int64_t linear_before_reset, const DebugContext& debugContext) {
  return ids(node(*this, "gru", {args, num_outputs}, {{"activation_alpha", activation_alpha}, {"activation_beta", activation_beta}, {"activations", activations}, {"clip", clip}, {"direction", direction}, {"hidden_size", hidden_size}, {"linear_before_reset", linear_before_reset}}, debugContext));
}

TensorId AiOnnxOpset7::less(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "less", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset7::logical_and(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "logical_and", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset7::logical_or(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "logical_or", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset7::logical_xor(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "logical_xor", {args}, {}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset7::lstm(const std::vector<TensorId>& args, unsigned num_outputs, const std::vector<float>& activation_alpha, const std::vector<float>& activation_beta, const std::vector<std::string>& activations, nonstd::optional<float> clip, const std::string& direction, nonstd::optional<int64_t> hidden_size, int64_t input_forget, const DebugContext& debugContext) {
  return ids(node(*this, "lstm", {args, num_outputs}, {{"activation_alpha", activation_alpha}, {"activation_beta", activation_beta}, {"activations", activations}, {"clip", clip}, {"direction", direction}, {"hidden_size", hidden_size}, {"input_forget", input_forget}}, debugContext));
}

TensorId AiOnnxOpset7::mul(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "mul", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset7::multinomial(const std::vector<TensorId>& args, int64_t dtype, int64_t sample_size, nonstd::optional<float> seed, const DebugContext& debugContext) {
  return node(*this, "multinomial", {args}, {{"dtype", dtype}, {"sample_size", sample_size}, {"seed", seed}}, debugContext).text();
}

TensorId AiOnnxOpset7::pow(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "pow", {args}, {}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset7::rnn(const std::vector<TensorId>& args, unsigned num_outputs, const std::vector<float>& activation_alpha, const std::vector<float>& activation_beta, const std::vector<std::string>& activations, nonstd::optional<float> clip, const std::string& direction, nonstd::optional<int64_t> hidden_size, const DebugContext& debugContext) {
  return ids(node(*this, "rnn", {args, num_outputs}, {{"activation_alpha", activation_alpha}, {"activation_beta", activation_beta}, {"activations", activations}, {"clip", clip}, {"direction", direction}, {"hidden_size", hidden_size}}, debugContext));
}

TensorId AiOnnxOpset7::sin(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "sin", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset7::sub(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "sub", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset7::tan(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "tan", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset7::upsample(const std::vector<TensorId>& args, const std::vector<float>& scales, const std::string& mode, const DebugContext& debugContext) {
  return node(*this, "upsample", {args}, {{"scales", scales}, {"mode", mode}}, debugContext).text();
}

TensorId AiOnnxOpset8::expand(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "expand", {args}, {}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset8::maxpool(const std::vector<TensorId>& args, unsigned num_outputs, const std::vector<int64_t>& kernel_shape, const std::vector<int64_t>& pads, int64_t storage_order, const std::vector<int64_t>& strides, const DebugContext& debugContext) {
  return ids(node(*this, "maxpool", {args, num_outputs}, {{"kernel_shape", kernel_shape}, {"pads", pads}, {"storage_order", storage_order}, {"strides", strides}}, debugContext));
}

std::vector<TensorId> AiOnnxOpset8::scan(const std::vector<TensorId>& args, unsigned num_outputs, const Builder& body, int64_t num_scan_inputs, const std::vector<int64_t>& directions, const DebugContext& debugContext) {
  return ids(node(*this, "scan", {args, num_outputs}, {{"body", valueOf(body)}, {"num_scan_inputs", num_scan_inputs}, {"directions", directions}}, debugContext));
}

TensorId AiOnnxOpset9::acosh(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "acosh", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset9::asinh(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "asinh", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset9::atanh(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "atanh", {args}, {}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset9::batchnormalization(const std::vector<TensorId>& args, unsigned num_outputs, float epsilon, float momentum, const DebugContext& debugContext) {
  return ids(node(*this, "batchnormalization", {args, num_outputs}, {{"epsilon", epsilon}, {"momentum", momentum}}, debugContext));
}

TensorId AiOnnxOpset9::compress(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis, const DebugContext& debugContext) {
  return node(*this, "compress", {args}, {{"axis", axis}}, debugContext).text();
}

TensorId AiOnnxOpset9::constantofshape(const std::vector<TensorId>& args, const ConstVoidData& value, const DebugContext& debugContext) {
  return node(*this, "constantofshape", {args}, {{"value", valueOf(value)}}, debugContext).text();
}

TensorId AiOnnxOpset9::cosh(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "cosh", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset9::erf(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "erf", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset9::eyelike(const std::vector<TensorId>& args, nonstd::optional<int64_t> dtype, int64_t k, const DebugContext& debugContext) {
  return node(*this, "eyelike", {args}, {{"dtype", dtype}, {"k", k}}, debugContext).text();
}

TensorId AiOnnxOpset9::isnan(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "isnan", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset9::maxunpool(const std::vector<TensorId>& args, const std::vector<int64_t>& kernel_shape, const std::vector<int64_t>& pads, const std::vector<int64_t>& strides, const DebugContext& debugContext) {
  return node(*this, "maxunpool", {args}, {{"kernel_shape", kernel_shape}, {"pads", pads}, {"strides", strides}}, debugContext).text();
}

TensorId AiOnnxOpset9::meanvariancenormalization(const std::vector<TensorId>& args, const std::vector<int64_t>& axes, const DebugContext& debugContext) {
  return node(*this, "meanvariancenormalization", {args}, {{"axes", axes}}, debugContext).text();
}

TensorId AiOnnxOpset9::nonzero(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "nonzero", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset9::onehot(const std::vector<TensorId>& args, int64_t axis, const DebugContext& debugContext) {
  return node(*this, "onehot", {args}, {{"axis", axis}}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset9::scan(const std::vector<TensorId>& args, unsigned num_outputs, const Builder& body, int64_t num_scan_inputs, const std::vector<int64_t>& scan_input_axes, const std::vector<int64_t>& scan_input_directions, const std::vector<int64_t>& scan_output_axes, const std::vector<int64_t>& scan_output_directions, const DebugContext& debugContext) {
  return ids(node(*this, "scan", {args, num_outputs}, {{"body", valueOf(body)}, {"num_scan_inputs", num_scan_inputs}, {"scan_input_axes", scan_input_axes}, {"scan_input_directions", scan_input_directions}, {"scan_output_axes", scan_output_axes}, {"scan_output_directions", scan_output_directions}}, debugContext));
}

TensorId AiOnnxOpset9::scatter(const std::vector<TensorId>& args, int64_t axis, const DebugContext& debugContext) {
  return node(*this, "scatter", {args}, {{"axis", axis}}, debugContext).text();
}

TensorId AiOnnxOpset9::shrink(const std::vector<TensorId>& args, float bias, float lambd, const DebugContext& debugContext) {
  return node(*this, "shrink", {args}, {{"bias", bias}, {"lambd", lambd}}, debugContext).text();
}

TensorId AiOnnxOpset9::sign(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "sign", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset9::sinh(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "sinh", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset9::tfidfvectorizer(const std::vector<TensorId>& args, int64_t max_gram_length, int64_t max_skip_count, int64_t min_gram_length, const std::string& mode, const std::vector<int64_t>& ngram_counts, const std::vector<int64_t>& ngram_indexes, const std::vector<int64_t>& pool_int64s, const std::vector<std::string>& pool_strings, const std::vector<float>& weights, const DebugContext& debugContext) {
  return node(*this, "tfidfvectorizer", {args}, {{"max_gram_length", max_gram_length}, {"max_skip_count", max_skip_count}, {"min_gram_length", min_gram_length}, {"mode", mode}, {"ngram_counts", ngram_counts}, {"ngram_indexes", ngram_indexes}, {"pool_int64s", pool_int64s}, {"pool_strings", pool_strings}, {"weights", weights}}, debugContext).text();
}

TensorId AiOnnxOpset9::upsample(const std::vector<TensorId>& args, const std::string& mode, const DebugContext& debugContext) {
  return node(*this, "upsample", {args}, {{"mode", mode}}, debugContext).text();
}

TensorId AiOnnxOpset9::where(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "where", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset10::averagepool(const std::vector<TensorId>& args, const std::vector<int64_t>& kernel_shape, int64_t ceil_mode, int64_t count_include_pad, const std::vector<int64_t>& pads, const std::vector<int64_t>& strides, const DebugContext& debugContext) {
  return node(*this, "averagepool", {args}, {{"kernel_shape", kernel_shape}, {"ceil_mode", ceil_mode}, {"count_include_pad", count_include_pad}, {"pads", pads}, {"strides", strides}}, debugContext).text();
}

TensorId AiOnnxOpset10::convinteger(const std::vector<TensorId>& args, const std::vector<int64_t>& dilations, int64_t group, const std::vector<int64_t>& kernel_shape, const std::vector<int64_t>& pads, const std::vector<int64_t>& strides, const DebugContext& debugContext) {
  return node(*this, "convinteger", {args}, {{"dilations", dilations}, {"group", group}, {"kernel_shape", kernel_shape}, {"pads", pads}, {"strides", strides}}, debugContext).text();
}

TensorId AiOnnxOpset10::dequantizelinear(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "dequantizelinear", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset10::isinf(const std::vector<TensorId>& args, int64_t detect_negative, int64_t detect_positive, const DebugContext& debugContext) {
  return node(*this, "isinf", {args}, {{"detect_negative", detect_negative}, {"detect_positive", detect_positive}}, debugContext).text();
}

TensorId AiOnnxOpset10::matmulinteger(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "matmulinteger", {args}, {}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset10::maxpool(const std::vector<TensorId>& args, unsigned num_outputs, const std::vector<int64_t>& kernel_shape, int64_t ceil_mode, const std::vector<int64_t>& dilations, const std::vector<int64_t>& pads, int64_t storage_order, const std::vector<int64_t>& strides, const DebugContext& debugContext) {
  return ids(node(*this, "maxpool", {args, num_outputs}, {{"kernel_shape", kernel_shape}, {"ceil_mode", ceil_mode}, {"dilations", dilations}, {"pads", pads}, {"storage_order", storage_order}, {"strides", strides}}, debugContext));
}

TensorId AiOnnxOpset10::mod(const std::vector<TensorId>& args, int64_t fmod, const DebugContext& debugContext) {
  return node(*this, "mod", {args}, {{"fmod", fmod}}, debugContext).text();
}

TensorId AiOnnxOpset10::nonmaxsuppression(const std::vector<TensorId>& args, int64_t center_point_box, const DebugContext& debugContext) {
  return node(*this, "nonmaxsuppression", {args}, {{"center_point_box", center_point_box}}, debugContext).text();
}

TensorId AiOnnxOpset10::qlinearconv(const std::vector<TensorId>& args, const std::vector<int64_t>& dilations, int64_t group, const std::vector<int64_t>& kernel_shape, const std::vector<int64_t>& pads, const std::vector<int64_t>& strides, const DebugContext& debugContext) {
  return node(*this, "qlinearconv", {args}, {{"dilations", dilations}, {"group", group}, {"kernel_shape", kernel_shape}, {"pads", pads}, {"strides", strides}}, debugContext).text();
}

TensorId AiOnnxOpset10::qlinearmatmul(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "qlinearmatmul", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset10::quantizelinear(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "quantizelinear", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset10::resize(const std::vector<TensorId>& args, const std::string& mode, const DebugContext& debugContext) {
  return node(*this, "resize", {args}, {{"mode", mode}}, debugContext).text();
}

TensorId AiOnnxOpset10::reversesequence(const std::vector<TensorId>& args, int64_t batch_axis, int64_t time_axis, const DebugContext& debugContext) {
  return node(*this, "reversesequence", {args}, {{"batch_axis", batch_axis}, {"time_axis", time_axis}}, debugContext).text();
}

TensorId AiOnnxOpset10::roialign(const std::vector<TensorId>& args, const std::string& mode, int64_t output_height, int64_t output_width, int64_t sampling_ratio, float spatial_scale, const DebugContext& debugContext) {
  return node(*this, "roialign", {args}, {{"mode", mode}, {"output_height", output_height}, {"output_width", output_width}, {"sampling_ratio", sampling_ratio}, {"spatial_scale", spatial_scale}}, debugContext).text();
}

TensorId AiOnnxOpset10::slice(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "slice", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset10::stringnormalizer(const std::vector<TensorId>& args, const std::string& case_change_action, int64_t is_case_sensitive, const std::string& locale, const std::vector<std::string>& stopwords, const DebugContext& debugContext) {
  return node(*this, "stringnormalizer", {args}, {{"case_change_action", case_change_action}, {"is_case_sensitive", is_case_sensitive}, {"locale", locale}, {"stopwords", stopwords}}, debugContext).text();
}

TensorId AiOnnxOpset10::thresholdedrelu(const std::vector<TensorId>& args, float alpha, const DebugContext& debugContext) {
  return node(*this, "thresholdedrelu", {args}, {{"alpha", alpha}}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset10::topk(const std::vector<TensorId>& args, int64_t axis, const DebugContext& debugContext) {
  return ids(node(*this, "topk", {args}, {{"axis", axis}}, debugContext));
}

TensorId AiOnnxOpset11::bitshift(const std::vector<TensorId>& args, const std::string& direction, const DebugContext& debugContext) {
  return node(*this, "bitshift", {args}, {{"direction", direction}}, debugContext).text();
}

TensorId AiOnnxOpset11::clip(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "clip", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset11::concatfromsequence(const std::vector<TensorId>& args, int64_t axis, int64_t new_axis, const DebugContext& debugContext) {
  return node(*this, "concatfromsequence", {args}, {{"axis", axis}, {"new_axis", new_axis}}, debugContext).text();
}

TensorId AiOnnxOpset11::constant(const ConstVoidData& value, bool is_value_sparse, const DebugContext& debugContext) {
  return constantNode(*this, value, is_value_sparse, debugContext);
}

TensorId AiOnnxOpset11::cumsum(const std::vector<TensorId>& args, int64_t exclusive, int64_t reverse, const DebugContext& debugContext) {
  return node(*this, "cumsum", {args}, {{"exclusive", exclusive}, {"reverse", reverse}}, debugContext).text();
}

TensorId AiOnnxOpset11::depthtospace(const std::vector<TensorId>& args, int64_t blocksize, const std::string& mode, const DebugContext& debugContext) {
  return node(*this, "depthtospace", {args}, {{"blocksize", blocksize}, {"mode", mode}}, debugContext).text();
}

TensorId AiOnnxOpset11::det(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "det", {args}, {}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset11::dynamicquantizelinear(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return ids(node(*this, "dynamicquantizelinear", {args}, {}, debugContext));
}

TensorId AiOnnxOpset11::gatherelements(const std::vector<TensorId>& args, int64_t axis, const DebugContext& debugContext) {
  return node(*this, "gatherelements", {args}, {{"axis", axis}}, debugContext).text();
}

TensorId AiOnnxOpset11::gathernd(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "gathernd", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset11::pad(const std::vector<TensorId>& args, const std::string& mode, const DebugContext& debugContext) {
  return node(*this, "pad", {args}, {{"mode", mode}}, debugContext).text();
}

TensorId AiOnnxOpset11::range(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "range", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset11::resize(const std::vector<TensorId>& args, const std::string& coordinate_transformation_mode, float cubic_coeff_a, int64_t exclude_outside, float extrapolation_value, const std::string& mode, const std::string& nearest_mode, const DebugContext& debugContext) {
  return node(*this, "resize", {args}, {{"coordinate_transformation_mode", coordinate_transformation_mode}, {"cubic_coeff_a", cubic_coeff_a}, {"exclude_outside", exclude_outside}, {"extrapolation_value", extrapolation_value}, {"mode", mode}, {"nearest_mode", nearest_mode}}, debugContext).text();
}

TensorId AiOnnxOpset11::round(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "round", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset11::scatterelements(const std::vector<TensorId>& args, int64_t axis, const DebugContext& debugContext) {
  return node(*this, "scatterelements", {args}, {{"axis", axis}}, debugContext).text();
}

TensorId AiOnnxOpset11::scatternd(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "scatternd", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset11::sequenceat(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "sequenceat", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset11::sequenceconstruct(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "sequenceconstruct", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset11::sequenceempty(nonstd::optional<int64_t> dtype, const DebugContext& debugContext) {
  return node(*this, "sequenceempty", {}, {{"dtype", dtype}}, debugContext).text();
}

TensorId AiOnnxOpset11::sequenceerase(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "sequenceerase", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset11::sequenceinsert(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "sequenceinsert", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset11::sequencelength(const std::vector<TensorId>& args, const DebugContext& debugContext) {
  return node(*this, "sequencelength", {args}, {}, debugContext).text();
}

TensorId AiOnnxOpset11::splittosequence(const std::vector<TensorId>& args, int64_t axis, int64_t keepdims, const DebugContext& debugContext) {
  return node(*this, "splittosequence", {args}, {{"axis", axis}, {"keepdims", keepdims}}, debugContext).text();
}

std::vector<TensorId> AiOnnxOpset11::topk(const std::vector<TensorId>& args, int64_t axis, int64_t largest, int64_t sorted, const DebugContext& debugContext) {
  return ids(node(*this, "topk", {args}, {{"axis", axis}, {"largest", largest}, {"sorted", sorted}}, debugContext));
}

std::vector<TensorId> AiOnnxOpset11::unique(const std::vector<TensorId>& args, unsigned num_outputs, nonstd::optional<int64_t> axis, int64_t sorted, const DebugContext& debugContext) {
  return ids(node(*this, "unique", {args, num_outputs}, {{"axis", axis}, {"sorted", sorted}}, debugContext));
}

}  // namespace popart
