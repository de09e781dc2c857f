// popart/builder.gen.hpp: the operators of ONNX by opset, as methods that add them to a model.
// clang-format off
// Written by cpp/popart/host/gen_builder.py from the schemas of onnx; do not edit.
// Long, because ONNX is. After popart/builder.gen.hpp of PopART 3.
#ifndef popart_builder_gen_hpp
#define popart_builder_gen_hpp

#include <popart/debugcontext.hpp>
#include <popart/domainopset.hpp>
#include <popart/names.hpp>
#include <popart/vendored/optional.hpp>
#include <popart/voiddata.hpp>

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Builder;

// The arguments are ids of inputs, the number of outputs if it is variable, and attributes; those
// without a default stand first. An empty list is an attribute that is left out.

class AiOnnxOpset6 : public DomainOpSet {
 public:
  using DomainOpSet::DomainOpSet;

  TensorId abs(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId add(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis = nonstd::optional<int64_t>(), int64_t broadcast = 0, const DebugContext& debugContext = {});
  TensorId argmax(const std::vector<TensorId>& args, int64_t axis = 0, int64_t keepdims = 1, const DebugContext& debugContext = {});
  TensorId argmin(const std::vector<TensorId>& args, int64_t axis = 0, int64_t keepdims = 1, const DebugContext& debugContext = {});
  TensorId averagepool(const std::vector<TensorId>& args, const std::vector<int64_t>& kernel_shape, const std::vector<int64_t>& pads = std::vector<int64_t>(), const std::vector<int64_t>& strides = std::vector<int64_t>(), const DebugContext& debugContext = {});
  std::vector<TensorId> batchnormalization(const std::vector<TensorId>& args, unsigned num_outputs, float epsilon = 1e-05f, int64_t is_test = 0, float momentum = 0.9f, int64_t spatial = 1, const DebugContext& debugContext = {});
  TensorId cast(const std::vector<TensorId>& args, const std::string& to, const DebugContext& debugContext = {});
  TensorId ceil(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId clip(const std::vector<TensorId>& args, float max = 3.4028235e+38f, float min = -3.4028235e+38f, const DebugContext& debugContext = {});
  TensorId concat(const std::vector<TensorId>& args, int64_t axis, const DebugContext& debugContext = {});
  TensorId constant(const ConstVoidData& value, const DebugContext& debugContext = {});
  TensorId conv(const std::vector<TensorId>& args, const std::vector<int64_t>& dilations = std::vector<int64_t>(), int64_t group = 1, const std::vector<int64_t>& kernel_shape = std::vector<int64_t>(), const std::vector<int64_t>& pads = std::vector<int64_t>(), const std::vector<int64_t>& strides = std::vector<int64_t>(), const DebugContext& debugContext = {});
  TensorId convtranspose(const std::vector<TensorId>& args, const std::vector<int64_t>& dilations = std::vector<int64_t>(), int64_t group = 1, const std::vector<int64_t>& kernel_shape = std::vector<int64_t>(), const std::vector<int64_t>& output_padding = std::vector<int64_t>(), const std::vector<int64_t>& output_shape = std::vector<int64_t>(), const std::vector<int64_t>& pads = std::vector<int64_t>(), const std::vector<int64_t>& strides = std::vector<int64_t>(), const DebugContext& debugContext = {});
  TensorId depthtospace(const std::vector<TensorId>& args, int64_t blocksize, const DebugContext& debugContext = {});
  TensorId div(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis = nonstd::optional<int64_t>(), int64_t broadcast = 0, const DebugContext& debugContext = {});
  std::vector<TensorId> dropout(const std::vector<TensorId>& args, unsigned num_outputs, int64_t is_test = 0, float ratio = 0.5f, const DebugContext& debugContext = {});
  TensorId elu(const std::vector<TensorId>& args, float alpha = 1.0f, const DebugContext& debugContext = {});
  TensorId equal(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis = nonstd::optional<int64_t>(), int64_t broadcast = 0, const DebugContext& debugContext = {});
  TensorId exp(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId flatten(const std::vector<TensorId>& args, int64_t axis = 1, const DebugContext& debugContext = {});
  TensorId floor(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId gather(const std::vector<TensorId>& args, int64_t axis = 0, const DebugContext& debugContext = {});
  TensorId gemm(const std::vector<TensorId>& args, float alpha = 1.0f, float beta = 1.0f, int64_t broadcast = 0, int64_t transA = 0, int64_t transB = 0, const DebugContext& debugContext = {});
  TensorId globalaveragepool(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId globallppool(const std::vector<TensorId>& args, int64_t p = 2, const DebugContext& debugContext = {});
  TensorId globalmaxpool(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId greater(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis = nonstd::optional<int64_t>(), int64_t broadcast = 0, const DebugContext& debugContext = {});
  std::vector<TensorId> gru(const std::vector<TensorId>& args, unsigned num_outputs, const std::vector<float>& activation_alpha = std::vector<float>(), const std::vector<float>& activation_beta = std::vector<float>(), const std::vector<std::string>& activations = std::vector<std::string>(), nonstd::optional<float> clip = nonstd::optional<float>(), const std::string& direction = "forward", nonstd::optional<int64_t> hidden_size = nonstd::optional<int64_t>(), int64_t linear_before_reset = 0, int64_t output_sequence = 0, const DebugContext& debugContext = {});
  TensorId hardmax(const std::vector<TensorId>& args, int64_t axis = 1, const DebugContext& debugContext = {});
  TensorId hardsigmoid(const std::vector<TensorId>& args, float alpha = 0.2f, float beta = 0.5f, const DebugContext& debugContext = {});
  TensorId identity(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId instancenormalization(const std::vector<TensorId>& args, float epsilon = 1e-05f, const DebugContext& debugContext = {});
  TensorId leakyrelu(const std::vector<TensorId>& args, float alpha = 0.01f, const DebugContext& debugContext = {});
  TensorId less(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis = nonstd::optional<int64_t>(), int64_t broadcast = 0, const DebugContext& debugContext = {});
  TensorId log(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId logical_and(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis = nonstd::optional<int64_t>(), int64_t broadcast = 0, const DebugContext& debugContext = {});
  std::vector<TensorId> logical_if(const std::vector<TensorId>& args, unsigned num_outputs, const Builder& else_branch, const Builder& then_branch, const DebugContext& debugContext = {});
  TensorId logical_not(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId logical_or(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis = nonstd::optional<int64_t>(), int64_t broadcast = 0, const DebugContext& debugContext = {});
  TensorId logical_xor(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis = nonstd::optional<int64_t>(), int64_t broadcast = 0, const DebugContext& debugContext = {});
  TensorId logsoftmax(const std::vector<TensorId>& args, int64_t axis = 1, const DebugContext& debugContext = {});
  std::vector<TensorId> loop(const std::vector<TensorId>& args, unsigned num_outputs, const Builder& body, const DebugContext& debugContext = {});
  TensorId lpnormalization(const std::vector<TensorId>& args, int64_t axis = -1, int64_t p = 2, const DebugContext& debugContext = {});
  TensorId lppool(const std::vector<TensorId>& args, const std::vector<int64_t>& kernel_shape, int64_t p = 2, const std::vector<int64_t>& pads = std::vector<int64_t>(), const std::vector<int64_t>& strides = std::vector<int64_t>(), const DebugContext& debugContext = {});
  TensorId lrn(const std::vector<TensorId>& args, int64_t size, float alpha = 1e-04f, float beta = 0.75f, float bias = 1.0f, const DebugContext& debugContext = {});
  std::vector<TensorId> lstm(const std::vector<TensorId>& args, unsigned num_outputs, const std::vector<float>& activation_alpha = std::vector<float>(), const std::vector<float>& activation_beta = std::vector<float>(), const std::vector<std::string>& activations = std::vector<std::string>(), nonstd::optional<float> clip = nonstd::optional<float>(), const std::string& direction = "forward", nonstd::optional<int64_t> hidden_size = nonstd::optional<int64_t>(), int64_t input_forget = 0, int64_t output_sequence = 0, const DebugContext& debugContext = {});
  TensorId matmul(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId max(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId maxpool(const std::vector<TensorId>& args, const std::vector<int64_t>& kernel_shape, const std::vector<int64_t>& pads = std::vector<int64_t>(), const std::vector<int64_t>& strides = std::vector<int64_t>(), const DebugContext& debugContext = {});
  TensorId maxroipool(const std::vector<TensorId>& args, const std::vector<int64_t>& pooled_shape, float spatial_scale = 1.0f, const DebugContext& debugContext = {});
  TensorId mean(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId min(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId mul(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis = nonstd::optional<int64_t>(), int64_t broadcast = 0, const DebugContext& debugContext = {});
  TensorId neg(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId pad(const std::vector<TensorId>& args, const std::vector<int64_t>& pads, const std::string& mode = "constant", float value = 0.0f, const DebugContext& debugContext = {});
  TensorId pow(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis = nonstd::optional<int64_t>(), int64_t broadcast = 0, const DebugContext& debugContext = {});
  TensorId prelu(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId randomnormal(const std::vector<int64_t>& shape, int64_t dtype = 1, float mean = 0.0f, float scale = 1.0f, nonstd::optional<float> seed = nonstd::optional<float>(), const DebugContext& debugContext = {});
  TensorId randomnormallike(const std::vector<TensorId>& args, nonstd::optional<int64_t> dtype = nonstd::optional<int64_t>(), float mean = 0.0f, float scale = 1.0f, nonstd::optional<float> seed = nonstd::optional<float>(), const DebugContext& debugContext = {});
  TensorId randomuniform(const std::vector<int64_t>& shape, int64_t dtype = 1, float high = 1.0f, float low = 0.0f, nonstd::optional<float> seed = nonstd::optional<float>(), const DebugContext& debugContext = {});
  TensorId randomuniformlike(const std::vector<TensorId>& args, nonstd::optional<int64_t> dtype = nonstd::optional<int64_t>(), float high = 1.0f, float low = 0.0f, nonstd::optional<float> seed = nonstd::optional<float>(), const DebugContext& debugContext = {});
  TensorId reciprocal(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId reducel1(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes = nonstd::optional<std::vector<int64_t>>(), int64_t keepdims = 1, const DebugContext& debugContext = {});
  TensorId reducel2(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes = nonstd::optional<std::vector<int64_t>>(), int64_t keepdims = 1, const DebugContext& debugContext = {});
  TensorId reducelogsum(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes = nonstd::optional<std::vector<int64_t>>(), int64_t keepdims = 1, const DebugContext& debugContext = {});
  TensorId reducelogsumexp(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes = nonstd::optional<std::vector<int64_t>>(), int64_t keepdims = 1, const DebugContext& debugContext = {});
  TensorId reducemax(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes = nonstd::optional<std::vector<int64_t>>(), int64_t keepdims = 1, const DebugContext& debugContext = {});
  TensorId reducemean(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes = nonstd::optional<std::vector<int64_t>>(), int64_t keepdims = 1, const DebugContext& debugContext = {});
  TensorId reducemin(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes = nonstd::optional<std::vector<int64_t>>(), int64_t keepdims = 1, const DebugContext& debugContext = {});
  TensorId reduceprod(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes = nonstd::optional<std::vector<int64_t>>(), int64_t keepdims = 1, const DebugContext& debugContext = {});
  TensorId reducesum(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes = nonstd::optional<std::vector<int64_t>>(), int64_t keepdims = 1, const DebugContext& debugContext = {});
  TensorId reducesumsquare(const std::vector<TensorId>& args, const nonstd::optional<std::vector<int64_t>>& axes = nonstd::optional<std::vector<int64_t>>(), int64_t keepdims = 1, const DebugContext& debugContext = {});
  TensorId relu(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId reshape(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  std::vector<TensorId> rnn(const std::vector<TensorId>& args, unsigned num_outputs, const std::vector<float>& activation_alpha = std::vector<float>(), const std::vector<float>& activation_beta = std::vector<float>(), const std::vector<std::string>& activations = std::vector<std::string>(), nonstd::optional<float> clip = nonstd::optional<float>(), const std::string& direction = "forward", nonstd::optional<int64_t> hidden_size = nonstd::optional<int64_t>(), int64_t output_sequence = 0, const DebugContext& debugContext = {});
  TensorId selu(const std::vector<TensorId>& args, float alpha = 1.6732632f, float gamma = 1.050701f, const DebugContext& debugContext = {});
  TensorId shape(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId sigmoid(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId size(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId slice(const std::vector<TensorId>& args, const std::vector<int64_t>& ends, const std::vector<int64_t>& starts, const std::vector<int64_t>& axes = std::vector<int64_t>(), const DebugContext& debugContext = {});
  TensorId softmax(const std::vector<TensorId>& args, int64_t axis = 1, const DebugContext& debugContext = {});
  TensorId softplus(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId softsign(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId spacetodepth(const std::vector<TensorId>& args, int64_t blocksize, const DebugContext& debugContext = {});
  std::vector<TensorId> split(const std::vector<TensorId>& args, unsigned num_outputs, int64_t axis = 0, const std::vector<int64_t>& split = std::vector<int64_t>(), const DebugContext& debugContext = {});
  TensorId sqrt(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId squeeze(const std::vector<TensorId>& args, const std::vector<int64_t>& axes = std::vector<int64_t>(), const DebugContext& debugContext = {});
  TensorId sub(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis = nonstd::optional<int64_t>(), int64_t broadcast = 0, const DebugContext& debugContext = {});
  TensorId sum(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId tanh(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId tile(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  std::vector<TensorId> topk(const std::vector<TensorId>& args, int64_t k, int64_t axis = -1, const DebugContext& debugContext = {});
  TensorId transpose(const std::vector<TensorId>& args, const std::vector<int64_t>& perm = std::vector<int64_t>(), const DebugContext& debugContext = {});
  TensorId unsqueeze(const std::vector<TensorId>& args, const std::vector<int64_t>& axes, const DebugContext& debugContext = {});
  TensorId upsample(const std::vector<TensorId>& args, float height_scale, float width_scale, const std::string& mode = "nearest", const DebugContext& debugContext = {});
};

class AiOnnxOpset7 : public AiOnnxOpset6 {
 public:
  using AiOnnxOpset6::AiOnnxOpset6;

  TensorId acos(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId add(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId asin(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId atan(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId averagepool(const std::vector<TensorId>& args, const std::vector<int64_t>& kernel_shape, int64_t count_include_pad = 0, const std::vector<int64_t>& pads = std::vector<int64_t>(), const std::vector<int64_t>& strides = std::vector<int64_t>(), const DebugContext& debugContext = {});
  std::vector<TensorId> batchnormalization(const std::vector<TensorId>& args, unsigned num_outputs, float epsilon = 1e-05f, float momentum = 0.9f, int64_t spatial = 1, const DebugContext& debugContext = {});
  TensorId cos(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId div(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  std::vector<TensorId> dropout(const std::vector<TensorId>& args, unsigned num_outputs, float ratio = 0.5f, const DebugContext& debugContext = {});
  TensorId equal(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId gemm(const std::vector<TensorId>& args, float alpha = 1.0f, float beta = 1.0f, int64_t transA = 0, int64_t transB = 0, const DebugContext& debugContext = {});
  TensorId greater(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  std::vector<TensorId> gru(const std::vector<TensorId>& args, unsigned num_outputs, const std::vector<float>& activation_alpha = std::vector<float>(), const std::vector<float>& activation_beta = std::vector<float>(), const std::vector<std::string>& activations = std::vector<std::string>(), nonstd::optional<float> clip = nonstd::optional<float>(), const std::string& direction = "forward", nonstd::optional<int64_t> hidden_size = nonstd::optional<int64_t>(), int64_t linear_before_reset = 0, const DebugContext& debugContext = {});
  TensorId less(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId logical_and(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId logical_or(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId logical_xor(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  std::vector<TensorId> lstm(const std::vector<TensorId>& args, unsigned num_outputs, const std::vector<float>& activation_alpha = std::vector<float>(), const std::vector<float>& activation_beta = std::vector<float>(), const std::vector<std::string>& activations = std::vector<std::string>(), nonstd::optional<float> clip = nonstd::optional<float>(), const std::string& direction = "forward", nonstd::optional<int64_t> hidden_size = nonstd::optional<int64_t>(), int64_t input_forget = 0, const DebugContext& debugContext = {});
  TensorId mul(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId multinomial(const std::vector<TensorId>& args, int64_t dtype = 6, int64_t sample_size = 1, nonstd::optional<float> seed = nonstd::optional<float>(), const DebugContext& debugContext = {});
  TensorId pow(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  std::vector<TensorId> rnn(const std::vector<TensorId>& args, unsigned num_outputs, const std::vector<float>& activation_alpha = std::vector<float>(), const std::vector<float>& activation_beta = std::vector<float>(), const std::vector<std::string>& activations = std::vector<std::string>(), nonstd::optional<float> clip = nonstd::optional<float>(), const std::string& direction = "forward", nonstd::optional<int64_t> hidden_size = nonstd::optional<int64_t>(), const DebugContext& debugContext = {});
  TensorId sin(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId sub(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId tan(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId upsample(const std::vector<TensorId>& args, const std::vector<float>& scales, const std::string& mode = "nearest", const DebugContext& debugContext = {});
};

class AiOnnxOpset8 : public AiOnnxOpset7 {
 public:
  using AiOnnxOpset7::AiOnnxOpset7;

  TensorId expand(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  std::vector<TensorId> maxpool(const std::vector<TensorId>& args, unsigned num_outputs, const std::vector<int64_t>& kernel_shape, const std::vector<int64_t>& pads = std::vector<int64_t>(), int64_t storage_order = 0, const std::vector<int64_t>& strides = std::vector<int64_t>(), const DebugContext& debugContext = {});
  std::vector<TensorId> scan(const std::vector<TensorId>& args, unsigned num_outputs, const Builder& body, int64_t num_scan_inputs, const std::vector<int64_t>& directions = std::vector<int64_t>(), const DebugContext& debugContext = {});
};

class AiOnnxOpset9 : public AiOnnxOpset8 {
 public:
  using AiOnnxOpset8::AiOnnxOpset8;

  TensorId acosh(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId asinh(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId atanh(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  std::vector<TensorId> batchnormalization(const std::vector<TensorId>& args, unsigned num_outputs, float epsilon = 1e-05f, float momentum = 0.9f, const DebugContext& debugContext = {});
  TensorId compress(const std::vector<TensorId>& args, nonstd::optional<int64_t> axis = nonstd::optional<int64_t>(), const DebugContext& debugContext = {});
  TensorId constantofshape(const std::vector<TensorId>& args, const ConstVoidData& value, const DebugContext& debugContext = {});
  TensorId cosh(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId erf(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId eyelike(const std::vector<TensorId>& args, nonstd::optional<int64_t> dtype = nonstd::optional<int64_t>(), int64_t k = 0, const DebugContext& debugContext = {});
  TensorId isnan(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId maxunpool(const std::vector<TensorId>& args, const std::vector<int64_t>& kernel_shape, const std::vector<int64_t>& pads = std::vector<int64_t>(), const std::vector<int64_t>& strides = std::vector<int64_t>(), const DebugContext& debugContext = {});
  TensorId meanvariancenormalization(const std::vector<TensorId>& args, const std::vector<int64_t>& axes = std::vector<int64_t>(), const DebugContext& debugContext = {});
  TensorId nonzero(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId onehot(const std::vector<TensorId>& args, int64_t axis = -1, const DebugContext& debugContext = {});
  std::vector<TensorId> scan(const std::vector<TensorId>& args, unsigned num_outputs, const Builder& body, int64_t num_scan_inputs, const std::vector<int64_t>& scan_input_axes = std::vector<int64_t>(), const std::vector<int64_t>& scan_input_directions = std::vector<int64_t>(), const std::vector<int64_t>& scan_output_axes = std::vector<int64_t>(), const std::vector<int64_t>& scan_output_directions = std::vector<int64_t>(), const DebugContext& debugContext = {});
  TensorId scatter(const std::vector<TensorId>& args, int64_t axis = 0, const DebugContext& debugContext = {});
  TensorId shrink(const std::vector<TensorId>& args, float bias = 0.0f, float lambd = 0.5f, const DebugContext& debugContext = {});
  TensorId sign(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId sinh(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId tfidfvectorizer(const std::vector<TensorId>& args, int64_t max_gram_length, int64_t max_skip_count, int64_t min_gram_length, const std::string& mode, const std::vector<int64_t>& ngram_counts, const std::vector<int64_t>& ngram_indexes, const std::vector<int64_t>& pool_int64s = std::vector<int64_t>(), const std::vector<std::string>& pool_strings = std::vector<std::string>(), const std::vector<float>& weights = std::vector<float>(), const DebugContext& debugContext = {});
  TensorId upsample(const std::vector<TensorId>& args, const std::string& mode = "nearest", const DebugContext& debugContext = {});
  TensorId where(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
};

class AiOnnxOpset10 : public AiOnnxOpset9 {
 public:
  using AiOnnxOpset9::AiOnnxOpset9;

  TensorId averagepool(const std::vector<TensorId>& args, const std::vector<int64_t>& kernel_shape, int64_t ceil_mode = 0, int64_t count_include_pad = 0, const std::vector<int64_t>& pads = std::vector<int64_t>(), const std::vector<int64_t>& strides = std::vector<int64_t>(), const DebugContext& debugContext = {});
  TensorId convinteger(const std::vector<TensorId>& args, const std::vector<int64_t>& dilations = std::vector<int64_t>(), int64_t group = 1, const std::vector<int64_t>& kernel_shape = std::vector<int64_t>(), const std::vector<int64_t>& pads = std::vector<int64_t>(), const std::vector<int64_t>& strides = std::vector<int64_t>(), const DebugContext& debugContext = {});
  TensorId dequantizelinear(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId isinf(const std::vector<TensorId>& args, int64_t detect_negative = 1, int64_t detect_positive = 1, const DebugContext& debugContext = {});
  TensorId matmulinteger(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  std::vector<TensorId> maxpool(const std::vector<TensorId>& args, unsigned num_outputs, const std::vector<int64_t>& kernel_shape, int64_t ceil_mode = 0, const std::vector<int64_t>& dilations = std::vector<int64_t>(), const std::vector<int64_t>& pads = std::vector<int64_t>(), int64_t storage_order = 0, const std::vector<int64_t>& strides = std::vector<int64_t>(), const DebugContext& debugContext = {});
  TensorId mod(const std::vector<TensorId>& args, int64_t fmod = 0, const DebugContext& debugContext = {});
  TensorId nonmaxsuppression(const std::vector<TensorId>& args, int64_t center_point_box = 0, const DebugContext& debugContext = {});
  TensorId qlinearconv(const std::vector<TensorId>& args, const std::vector<int64_t>& dilations = std::vector<int64_t>(), int64_t group = 1, const std::vector<int64_t>& kernel_shape = std::vector<int64_t>(), const std::vector<int64_t>& pads = std::vector<int64_t>(), const std::vector<int64_t>& strides = std::vector<int64_t>(), const DebugContext& debugContext = {});
  TensorId qlinearmatmul(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId quantizelinear(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId resize(const std::vector<TensorId>& args, const std::string& mode = "nearest", const DebugContext& debugContext = {});
  TensorId reversesequence(const std::vector<TensorId>& args, int64_t batch_axis = 1, int64_t time_axis = 0, const DebugContext& debugContext = {});
  TensorId roialign(const std::vector<TensorId>& args, const std::string& mode = "avg", int64_t output_height = 1, int64_t output_width = 1, int64_t sampling_ratio = 0, float spatial_scale = 1.0f, const DebugContext& debugContext = {});
  TensorId slice(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId stringnormalizer(const std::vector<TensorId>& args, const std::string& case_change_action = "NONE", int64_t is_case_sensitive = 0, const std::string& locale = "", const std::vector<std::string>& stopwords = std::vector<std::string>(), const DebugContext& debugContext = {});
  TensorId thresholdedrelu(const std::vector<TensorId>& args, float alpha = 1.0f, const DebugContext& debugContext = {});
  std::vector<TensorId> topk(const std::vector<TensorId>& args, int64_t axis = -1, const DebugContext& debugContext = {});
};

class AiOnnxOpset11 : public AiOnnxOpset10 {
 public:
  using AiOnnxOpset10::AiOnnxOpset10;

  TensorId bitshift(const std::vector<TensorId>& args, const std::string& direction, const DebugContext& debugContext = {});
  TensorId clip(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId concatfromsequence(const std::vector<TensorId>& args, int64_t axis, int64_t new_axis = 0, const DebugContext& debugContext = {});
  TensorId constant(const ConstVoidData& value, bool is_value_sparse = false, const DebugContext& debugContext = {});
  TensorId cumsum(const std::vector<TensorId>& args, int64_t exclusive = 0, int64_t reverse = 0, const DebugContext& debugContext = {});
  TensorId depthtospace(const std::vector<TensorId>& args, int64_t blocksize, const std::string& mode = "DCR", const DebugContext& debugContext = {});
  TensorId det(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  std::vector<TensorId> dynamicquantizelinear(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId gatherelements(const std::vector<TensorId>& args, int64_t axis = 0, const DebugContext& debugContext = {});
  TensorId gathernd(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId pad(const std::vector<TensorId>& args, const std::string& mode = "constant", const DebugContext& debugContext = {});
  TensorId range(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId resize(const std::vector<TensorId>& args, const std::string& coordinate_transformation_mode = "half_pixel", float cubic_coeff_a = -0.75f, int64_t exclude_outside = 0, float extrapolation_value = 0.0f, const std::string& mode = "nearest", const std::string& nearest_mode = "round_prefer_floor", const DebugContext& debugContext = {});
  TensorId round(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId scatterelements(const std::vector<TensorId>& args, int64_t axis = 0, const DebugContext& debugContext = {});
  TensorId scatternd(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId sequenceat(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId sequenceconstruct(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId sequenceempty(nonstd::optional<int64_t> dtype = nonstd::optional<int64_t>(), const DebugContext& debugContext = {});
  TensorId sequenceerase(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId sequenceinsert(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId sequencelength(const std::vector<TensorId>& args, const DebugContext& debugContext = {});
  TensorId splittosequence(const std::vector<TensorId>& args, int64_t axis = 0, int64_t keepdims = 1, const DebugContext& debugContext = {});
  std::vector<TensorId> topk(const std::vector<TensorId>& args, int64_t axis = -1, int64_t largest = 1, int64_t sorted = 1, const DebugContext& debugContext = {});
  std::vector<TensorId> unique(const std::vector<TensorId>& args, unsigned num_outputs, nonstd::optional<int64_t> axis = nonstd::optional<int64_t>(), int64_t sorted = 1, const DebugContext& debugContext = {});
};

}  // namespace popart

#pragma GCC visibility pop

#endif
