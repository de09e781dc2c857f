#include <onnx/defs/shape_inference.h>

namespace ONNX_NAMESPACE {
inline namespace popir_sdk {

InferenceContext::~InferenceContext() = default;
InferenceError::~InferenceError() = default;

namespace {

using inference_internal::fail;

/// \throws InferenceError if the node has no such output
TypeProto_Tensor* outputTensor(InferenceContext& ctx, std::size_t index) {
  TypeProto* type = ctx.getOutputType(index);
  if (type == nullptr)
    fail("[TypeInferenceError] ", "Output ", index, " of ", ctx.getNumOutputs(), " does not exist");
  return type->mutable_tensor_type();
}

const TypeProto* knownInput(const InferenceContext& ctx, std::size_t index) {
  return index < ctx.getNumInputs() ? ctx.getInputType(index) : nullptr;
}

}  // namespace

bool hasShape(const TypeProto& type) {
  return type.has_tensor_type() && type.tensor_type().has_shape();
}

bool hasInputShape(const InferenceContext& ctx, std::size_t n) {
  const TypeProto* type = knownInput(ctx, n);
  return type != nullptr && hasShape(*type);
}

bool hasNInputShapes(const InferenceContext& ctx, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    if (!hasInputShape(ctx, i)) return false;
  return true;
}

const TensorShapeProto& getInputShape(const InferenceContext& ctx, std::size_t n) {
  if (!hasInputShape(ctx, n))
    fail("[ShapeInferenceError] ", "The shape of input ", n, " is not known");
  return ctx.getInputType(n)->tensor_type().shape();
}

TensorShapeProto* getOutputShape(InferenceContext& ctx, std::size_t n) {
  return outputTensor(ctx, n)->mutable_shape();
}

void updateOutputElemType(InferenceContext& ctx, std::size_t outputIndex, int32_t elemType) {
  outputTensor(ctx, outputIndex)->set_elem_type(elemType);
}

void updateOutputShape(InferenceContext& ctx, std::size_t outputIndex,
                       const TensorShapeProto& shape) {
  *getOutputShape(ctx, outputIndex) = shape;
}

void updateOutputShape(InferenceContext& ctx, std::size_t outputIndex,
                       std::initializer_list<Dim> dims) {
  TensorShapeProto shape;
  for (const Dim& d : dims) shape.add_dim(d);
  updateOutputShape(ctx, outputIndex, shape);
}

void appendDim(TensorShapeProto* shape, int64_t value) { shape->add_dim()->set_dim_value(value); }

void propagateElemTypeFromInputToOutput(InferenceContext& ctx, std::size_t inputIndex,
                                        std::size_t outputIndex) {
  const TypeProto* type = knownInput(ctx, inputIndex);
  if (type != nullptr && type->has_tensor_type() && type->tensor_type().has_elem_type())
    updateOutputElemType(ctx, outputIndex, type->tensor_type().elem_type());
}

void propagateShapeFromInputToOutput(InferenceContext& ctx, std::size_t inputIndex,
                                     std::size_t outputIndex) {
  if (hasInputShape(ctx, inputIndex))
    updateOutputShape(ctx, outputIndex, getInputShape(ctx, inputIndex));
}

void propagateElemTypeFromAttributeToOutput(InferenceContext& ctx, const std::string& name,
                                            std::size_t outputIndex,
                                            TensorProto::DataType defaultElemType) {
  const int64_t type = getAttribute(ctx, name, static_cast<int64_t>(defaultElemType));
  if (type != TensorProto::UNDEFINED)
    updateOutputElemType(ctx, outputIndex, static_cast<int32_t>(type));
}

int64_t getAttribute(InferenceContext& ctx, const std::string& name, int64_t defaultValue) {
  const AttributeProto* a = ctx.getAttribute(name);
  return a != nullptr && a->has_i() ? a->i() : defaultValue;
}

float getAttribute(InferenceContext& ctx, const std::string& name, float defaultValue) {
  const AttributeProto* a = ctx.getAttribute(name);
  return a != nullptr && a->has_f() ? a->f() : defaultValue;
}

std::string getAttribute(InferenceContext& ctx, const std::string& name,
                         const std::string& defaultValue) {
  const AttributeProto* a = ctx.getAttribute(name);
  return a != nullptr && a->has_s() ? a->s() : defaultValue;
}

bool getRepeatedAttribute(InferenceContext& ctx, const std::string& name,
                          std::vector<int64_t>& values) {
  const AttributeProto* a = ctx.getAttribute(name);
  if (a != nullptr) values = a->ints();
  return a != nullptr;
}

bool getRepeatedAttribute(InferenceContext& ctx, const std::string& name,
                          std::vector<float>& values) {
  const AttributeProto* a = ctx.getAttribute(name);
  if (a != nullptr) values = a->floats();
  return a != nullptr;
}

void checkInputRank(InferenceContext& ctx, std::size_t inputIndex, int rank) {
  if (!hasInputShape(ctx, inputIndex)) return;
  const int given = getInputShape(ctx, inputIndex).dim_size();
  if (given != rank)
    fail("[ShapeInferenceError] ", "Input ", inputIndex, " has rank ", given, ", expected ", rank);
}

void unifyInputDim(InferenceContext& ctx, std::size_t inputIndex, int dimIndex, Dim& dim) {
  if (!hasInputShape(ctx, inputIndex)) return;
  const TensorShapeProto& shape = getInputShape(ctx, inputIndex);
  if (dimIndex < 0 || dimIndex >= shape.dim_size())
    fail("[ShapeInferenceError] ", "Input ", inputIndex, " has rank ", shape.dim_size(),
         ", expected more than ", dimIndex);
  const Dim& given = shape.dim(dimIndex);
  if (given.has_dim_value() && dim.has_dim_value() && given.dim_value() != dim.dim_value())
    fail("[ShapeInferenceError] ", "Dimension ", dimIndex, " of input ", inputIndex, " is ",
         given.dim_value(), ", expected ", dim.dim_value());
  if (given.has_dim_value() || (given.has_dim_param() && dim.value_case() == Dim::VALUE_NOT_SET))
    dim = given;
}

namespace {

Dim dimOf(int64_t value) {
  Dim d;
  d.set_dim_value(value);
  return d;
}

}  // namespace

Dim operator*(const Dim& a, const Dim& b) {
  if (a.has_dim_value() && b.has_dim_value()) return dimOf(a.dim_value() * b.dim_value());
  if (a.has_dim_value() && a.dim_value() == 1) return b;
  if (b.has_dim_value() && b.dim_value() == 1) return a;
  return Dim();
}

Dim operator*(const Dim& a, int64_t b) { return a * dimOf(b); }

Dim operator/(const Dim& a, int64_t b) {
  if (a.has_dim_value()) return dimOf(a.dim_value() / b);
  return b == 1 ? a : Dim();
}

Dim multiplyDims(const TensorShapeProto& shape, int from, int upto) {
  Dim product = dimOf(1);
  for (int i = from; i < upto; ++i) product = product * shape.dim(i);
  return product;
}

}  // namespace popir_sdk
}  // namespace ONNX_NAMESPACE
