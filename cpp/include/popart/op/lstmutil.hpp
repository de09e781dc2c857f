// Activation functions of recurrent layers. After popart/op/lstmutil.hpp of PopART 3.
#ifndef popart_op_lstmutil_hpp
#define popart_op_lstmutil_hpp

#include <ostream>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

enum class ActivationFunction {
  Sigmoid = 0,
  Relu,
  Tanh,
  Gelu,
  GeluErf,
  Swish,
  Softmax,
  SoftmaxStable,
  SoftmaxScaled,
  N,
  Invalid
};

/// By its name, in small letters or in ONNX's spelling. Invalid for any other.
ActivationFunction fromString(const std::string& name);
std::ostream& operator<<(std::ostream& os, const ActivationFunction& function);

}  // namespace popart

#pragma GCC visibility pop

#endif
