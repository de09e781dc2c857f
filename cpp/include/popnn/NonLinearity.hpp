// Activation functions and their gradients. After popnn/NonLinearity.hpp of PopLibs 3.
#ifndef popnn_NonLinearity_hpp
#define popnn_NonLinearity_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popnn/NonLinearityDef.hpp>

#pragma GCC visibility push(default)
namespace popnn {

/// Applies a function to each element of `t`, or softmax to its last dimension. FLOAT, HALF,
/// BFLOAT16 or DOUBLE. `nonLinearityScaling` receives the factor that the result is multiplied by:
/// 62000 for SOFTMAX_SCALED, so that small probabilities do not underflow in HALF; else 1.
/// \throws poputil::poplibs_error for other types, and for softmax of a scalar
poplar::Tensor nonLinearity(poplar::Graph& graph, NonLinearityType nonLinearityType,
                            poplar::Tensor t, poplar::program::Sequence& prog,
                            const poplar::DebugContext& debugContext = {});
poplar::Tensor nonLinearity(poplar::Graph& graph, NonLinearityType nonLinearityType,
                            poplar::Tensor t, float& nonLinearityScaling,
                            poplar::program::Sequence& prog,
                            const poplar::DebugContext& debugContext = {});

/// The same, in place.
void nonLinearityInPlace(poplar::Graph& graph, NonLinearityType nonLinearityType, poplar::Tensor t,
                         poplar::program::Sequence& prog,
                         const poplar::DebugContext& debugContext = {});
void nonLinearityInPlace(poplar::Graph& graph, NonLinearityType nonLinearityType, poplar::Tensor t,
                         float& nonLinearityScaling, poplar::program::Sequence& prog,
                         const poplar::DebugContext& debugContext = {});

/// Returns the gradient of the input of nonLinearity().
/// \param act the output of nonLinearity(); its input for GELU, GELU_ERF and SWISH
/// \param outGradient the gradient of the output, with the shape and type of `act`
/// \throws poputil::poplibs_error if shapes or types differ, and for SOFTMAX_SCALED: the caller
/// must remove the scale first
poplar::Tensor nonLinearityInputGradient(poplar::Graph& graph, NonLinearityType nonLinearityType,
                                         poplar::Tensor act, poplar::Tensor outGradient,
                                         poplar::program::Sequence& prog,
                                         const poplar::DebugContext& debugContext = {});

// Each function by name: NAME(graph, t, prog) and NAMEInPlace(graph, t, prog). Overloads take
// nonLinearityScaling after `t`.
#define POPIR_NONLINEARITY(NAME, TYPE)                                                           \
  inline poplar::Tensor NAME(poplar::Graph& graph, poplar::Tensor t,                             \
                             poplar::program::Sequence& prog,                                    \
                             const poplar::DebugContext& debugContext = {}) {                    \
    return nonLinearity(graph, NonLinearityType::TYPE, t, prog, debugContext);                   \
  }                                                                                              \
  inline poplar::Tensor NAME(poplar::Graph& graph, poplar::Tensor t, float& nonLinearityScaling, \
                             poplar::program::Sequence& prog,                                    \
                             const poplar::DebugContext& debugContext = {}) {                    \
    return nonLinearity(graph, NonLinearityType::TYPE, t, nonLinearityScaling, prog,             \
                        debugContext);                                                           \
  }                                                                                              \
  inline void NAME##InPlace(poplar::Graph& graph, poplar::Tensor t,                              \
                            poplar::program::Sequence& prog,                                     \
                            const poplar::DebugContext& debugContext = {}) {                     \
    nonLinearityInPlace(graph, NonLinearityType::TYPE, t, prog, debugContext);                   \
  }                                                                                              \
  inline void NAME##InPlace(poplar::Graph& graph, poplar::Tensor t, float& nonLinearityScaling,  \
                            poplar::program::Sequence& prog,                                     \
                            const poplar::DebugContext& debugContext = {}) {                     \
    nonLinearityInPlace(graph, NonLinearityType::TYPE, t, nonLinearityScaling, prog,             \
                        debugContext);                                                           \
  }
POPIR_NONLINEARITY(sigmoid, SIGMOID)
POPIR_NONLINEARITY(relu, RELU)
POPIR_NONLINEARITY(tanh, TANH)
POPIR_NONLINEARITY(gelu, GELU)
POPIR_NONLINEARITY(geluErf, GELU_ERF)
POPIR_NONLINEARITY(swish, SWISH)
POPIR_NONLINEARITY(softmax, SOFTMAX)
POPIR_NONLINEARITY(softmaxStable, SOFTMAX_STABLE)
POPIR_NONLINEARITY(scaledSoftmaxStable, SOFTMAX_SCALED)
#undef POPIR_NONLINEARITY

}  // namespace popnn
#pragma GCC visibility pop

#endif
