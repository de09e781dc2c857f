// The activation functions of popnn. After popnn/NonLinearityDef.hpp of PopLibs 3.
#ifndef popnn_NonLinearityDef_hpp
#define popnn_NonLinearityDef_hpp

namespace popnn {

enum class NonLinearityType {
  SIGMOID,       ///< 1 / (1 + exp(-x))
  HARD_SIGMOID,  ///< max(0, min(1, 0.2 x + 0.5))
  RELU,          ///< max(0, x)
  TANH,
  GELU,            ///< x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
  GELU_ERF,        ///< x/2 (1 + erf(x / sqrt(2)))
  SWISH,           ///< x sigmoid(x)
  SOFTMAX,         ///< over the last dimension
  SOFTMAX_STABLE,  ///< the same: every softmax here is stable
  SOFTMAX_SCALED   ///< softmax times the factor nonLinearityScaling
};

}  // namespace popnn

#endif
