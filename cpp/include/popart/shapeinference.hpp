// popart/shapeinference.hpp: output infos of custom operators, for a Builder that has no graph yet.
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

class ShapeInferenceContext {
 public:
  ShapeInferenceContext(std::map<int, TensorInfo> inputs, const Attributes& attributes,
                        int outputSize);

  /// \throws error if nothing is known of the input.
  const TensorInfo& inInfo(int index) const;
  const Shape& inShape(int index) const { return inInfo(index).shape(); }
  DataType inType(int index) const { return inInfo(index).dataType(); }
  bool hasInputShape(int index) const { return inputs_.count(index) != 0; }
  /// To be set. \throws error if the operator has no such output.
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

class ShapeInferenceFunctions {
 public:
  static void registerFunction(const OperatorIdentifier& opid, ShapeInferenceFunction function);
  static bool hasFunction(const OperatorIdentifier& opid);
  /// \throws error if there is none.
  static ShapeInferenceFunction getFunction(const OperatorIdentifier& opid);
};

/// A static object of this type makes the function known when its library is loaded.
class RegisterShapeInferenceFunction {
 public:
  RegisterShapeInferenceFunction(const OperatorIdentifier& opid, ShapeInferenceFunction function) {
    ShapeInferenceFunctions::registerFunction(opid, std::move(function));
  }
};

inline void propagateElemTypeFromInputToOutput(ShapeInferenceContext& ctx, std::size_t in,
                                               std::size_t out) {
  ctx.outInfo(static_cast<int>(out)).set(ctx.inType(static_cast<int>(in)));
}
inline void propagateShapeFromInputToOutput(ShapeInferenceContext& ctx, std::size_t in,
                                            std::size_t out) {
  TensorInfo& info = ctx.outInfo(static_cast<int>(out));
  info.set(info.dataType(), ctx.inShape(static_cast<int>(in)));
}

}  // namespace popart

#pragma GCC visibility pop

#endif
