// Shape inference: the context of a schema's inference function, and helpers. After
// onnx/defs/shape_inference.h of ONNX.
#ifndef onnx_defs_shape_inference_h
#define onnx_defs_shape_inference_h

#include <onnx/onnx_pb.h>

#include <functional>
#include <initializer_list>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace ONNX_NAMESPACE {
inline namespace popir_sdk {

/// The known facts about a node. The function sets the types of its outputs.
struct InferenceContext {
  virtual ~InferenceContext();
  /// Null if the node has no such attribute.
  virtual const AttributeProto* getAttribute(const std::string& name) const = 0;
  virtual std::size_t getNumInputs() const = 0;
  /// Null if the type is unknown.
  virtual const TypeProto* getInputType(std::size_t index) const = 0;
  /// Null if the input is not constant.
  virtual const TensorProto* getInputData(std::size_t index) const = 0;
  virtual std::size_t getNumOutputs() const = 0;
  /// Null if the node has no such output.
  virtual TypeProto* getOutputType(std::size_t index) = 0;

  bool hasInput(std::size_t index) const {
    return index < getNumInputs() && getInputType(index) != nullptr;
  }
  bool hasOutput(std::size_t index) { return getOutputType(index) != nullptr; }
};

using InferenceFunction = std::function<void(InferenceContext&)>;
using Dim = TensorShapeProto_Dimension;

/// Thrown for types or shapes that the operator does not support.
class InferenceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ~InferenceError() override;
};

namespace inference_internal {
inline void write(std::ostringstream&) {}
template <typename First, typename... Rest>
void write(std::ostringstream& os, const First& first, const Rest&... rest) {
  os << first;
  write(os, rest...);
}
template <typename... Args>
[[noreturn]] void fail(const char* what, const Args&... args) {
  std::ostringstream os;
  write(os, what, args...);
  throw InferenceError(os.str());
}
}  // namespace inference_internal

#define fail_type_inference(...) \
  ONNX_NAMESPACE::inference_internal::fail("[TypeInferenceError] ", __VA_ARGS__)
#define fail_shape_inference(...) \
  ONNX_NAMESPACE::inference_internal::fail("[ShapeInferenceError] ", __VA_ARGS__)

bool hasShape(const TypeProto& type);
bool hasInputShape(const InferenceContext& ctx, std::size_t n);
bool hasNInputShapes(const InferenceContext& ctx, std::size_t n);
// \throws InferenceError if there is no shape
const TensorShapeProto& getInputShape(const InferenceContext& ctx, std::size_t n);
TensorShapeProto* getOutputShape(InferenceContext& ctx, std::size_t n);

void updateOutputElemType(InferenceContext& ctx, std::size_t outputIndex, int32_t elemType);
void updateOutputShape(InferenceContext& ctx, std::size_t outputIndex,
                       const TensorShapeProto& shape);
/// Sets the shape of an output to the given dimensions.
void updateOutputShape(InferenceContext& ctx, std::size_t outputIndex,
                       std::initializer_list<Dim> dims);
void appendDim(TensorShapeProto* shape, int64_t value);

// These do nothing if the input is unknown.
void propagateElemTypeFromInputToOutput(InferenceContext& ctx, std::size_t inputIndex,
                                        std::size_t outputIndex);
void propagateShapeFromInputToOutput(InferenceContext& ctx, std::size_t inputIndex,
                                     std::size_t outputIndex);
inline void propagateShapeAndTypeFromFirstInput(InferenceContext& ctx) {
  propagateElemTypeFromInputToOutput(ctx, 0, 0);
  propagateShapeFromInputToOutput(ctx, 0, 0);
}
/// Sets the element type of an output to the value of an INT attribute, or to `defaultElemType` if
/// it is missing.
void propagateElemTypeFromAttributeToOutput(
    InferenceContext& ctx, const std::string& name, std::size_t outputIndex,
    TensorProto::DataType defaultElemType = TensorProto::UNDEFINED);

// Returns the attribute's value, or the default if it is missing.
int64_t getAttribute(InferenceContext& ctx, const std::string& name, int64_t defaultValue);
inline int64_t getAttribute(InferenceContext& ctx, const std::string& name, int defaultValue) {
  return getAttribute(ctx, name, static_cast<int64_t>(defaultValue));
}
float getAttribute(InferenceContext& ctx, const std::string& name, float defaultValue);
std::string getAttribute(InferenceContext& ctx, const std::string& name,
                         const std::string& defaultValue);
/// Reads an attribute with a list of integers. Returns false if it is missing.
bool getRepeatedAttribute(InferenceContext& ctx, const std::string& name,
                          std::vector<int64_t>& values);
bool getRepeatedAttribute(InferenceContext& ctx, const std::string& name,
                          std::vector<float>& values);

/// \throws InferenceError if the rank of the input is known and differs
void checkInputRank(InferenceContext& ctx, std::size_t inputIndex, int rank);
/// Merges `dim` with dimension `dimIndex` of an input; both get the known value.
/// \throws InferenceError if both are known and differ
void unifyInputDim(InferenceContext& ctx, std::size_t inputIndex, int dimIndex, Dim& dim);
// Product and quotient of dimensions; unknown if an operand is unknown.
Dim operator*(const Dim& a, const Dim& b);
Dim operator*(const Dim& a, int64_t b);
Dim operator/(const Dim& a, int64_t b);
/// The product of dimensions [from, upto).
Dim multiplyDims(const TensorShapeProto& shape, int from, int upto);

}  // namespace popir_sdk
}  // namespace ONNX_NAMESPACE

#pragma GCC visibility pop

#endif
