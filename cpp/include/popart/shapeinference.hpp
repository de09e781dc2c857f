// Shape inference of custom operators, for a Builder without a graph.
// After popart/shapeinference.hpp of PopART 3.
#ifndef popart_shapeinference_hpp
#define popart_shapeinference_hpp

#include <popart/attributes.hpp>
#include <popart/names.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/tensorinfo.hpp>

#include <functional>
#include <map>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// The inputs and attributes of one operator, and its outputs to set.
class ShapeInferenceContext {
 public:
  ShapeInferenceContext(std::map<int, TensorInfo> inputs, const Attributes& attributes,
                        int outputSize);

  /// Type and shape of an input.
  /// \throws error if they are unknown
  const TensorInfo& inInfo(int index) const;
  const Shape& inShape(int index) const { return inInfo(index).shape(); }
  DataType inType(int index) const { return inInfo(index).dataType(); }
  bool hasInputShape(int index) const { return inputs_.count(index) != 0; }
  /// Type and shape of an output, to be assigned.
  /// \throws error if there is no such output
  TensorInfo& outInfo(int index);
  const Shape& outShape(int index) { return outInfo(index).shape(); }
  const std::map<int, TensorInfo>& getOutputInfos() const { return outputs_; }
  int getNumInputs() const { return static_cast<int>(inputs_.size()); }
  int getNumOutputs() const { return static_cast<int>(outputs_.size()); }

  const Attributes& getAttributes() const { return attributes_; }
  bool hasAttribute(const std::string& key) const { return attributes_.hasAttribute(key); }
  template <typename T>
  T getAttribute(const std::string& key) const {
    return attributes_.getAttribute<T>(key);
  }
  template <typename T>
  T getAttribute(const std::string& key, const T& defaultValue) const {
    return attributes_.getAttribute<T>(key, defaultValue);
  }

 private:
  std::map<int, TensorInfo> inputs_;
  std::map<int, TensorInfo> outputs_;
  Attributes attributes_;
};

using ShapeInferenceFunction = std::function<void(ShapeInferenceContext&)>;

/// The registry of shape inference functions.
class ShapeInferenceFunctions {
 public:
  static void registerFunction(const OperatorIdentifier& opid, ShapeInferenceFunction function);
  static bool hasFunction(const OperatorIdentifier& opid);
  /// \throws error if there is none
  static ShapeInferenceFunction getFunction(const OperatorIdentifier& opid);
};

/// Registers a shape inference function when its library is loaded: define a static object of this
/// type.
class RegisterShapeInferenceFunction {
 public:
  RegisterShapeInferenceFunction(const OperatorIdentifier& opid, ShapeInferenceFunction function) {
    ShapeInferenceFunctions::registerFunction(opid, std::move(function));
  }
};

/// Copies the element type of an input to an output.
inline void propagateElemTypeFromInputToOutput(ShapeInferenceContext& ctx, std::size_t in,
                                               std::size_t out) {
  ctx.outInfo(static_cast<int>(out)).set(ctx.inType(static_cast<int>(in)));
}
/// Copies the shape of an input to an output.
inline void propagateShapeFromInputToOutput(ShapeInferenceContext& ctx, std::size_t in,
                                            std::size_t out) {
  TensorInfo& info = ctx.outInfo(static_cast<int>(out));
  info.set(info.dataType(), ctx.inShape(static_cast<int>(in)));
}

}  // namespace popart

#pragma GCC visibility pop

#endif
