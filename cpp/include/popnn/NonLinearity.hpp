// popnn/NonLinearity.hpp: non-linear functions of tensors, and their gradients.
#ifndef popnn_NonLinearity_hpp
#define popnn_NonLinearity_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popnn/NonLinearityDef.hpp>

#pragma GCC visibility push(default)
namespace popnn {

/// A function applied to each element of `t`, or softmax over its last dimension; FLOAT, HALF or
/// DOUBLE. `nonLinearityScaling` is set to what the result is multiplied by: 62000 for
/// SOFTMAX_SCALED, so that small probabilities fit in HALF, else 1.
/// \throws poputil::poplibs_error for other types, and for a softmax of a scalar.
poplar::Tensor nonLinearity(poplar::Graph& graph, NonLinearityType nonLinearityType,
                            poplar::Tensor t, poplar::program::Sequence& prog,
                            const poplar::DebugContext& debugContext = {});
poplar::Tensor nonLinearity(poplar::Graph& graph, NonLinearityType nonLinearityType,
                            poplar::Tensor t, float& nonLinearityScaling,
                            poplar::program::Sequence& prog,
                            const poplar::DebugContext& debugContext = {});

/// The same, written over `t`.
void nonLinearityInPlace(poplar::Graph& graph, NonLinearityType nonLinearityType, poplar::Tensor t,
                         poplar::program::Sequence& prog,
                         const poplar::DebugContext& debugContext = {});
void nonLinearityInPlace(poplar::Graph& graph, NonLinearityType nonLinearityType, poplar::Tensor t,
                         float& nonLinearityScaling, poplar::program::Sequence& prog,
                         const poplar::DebugContext& debugContext = {});

/// The gradient with respect to the input of nonLinearity.
/// \param act          the output of nonLinearity; for GELU, GELU_ERF and SWISH its input.
/// \param outGradient  the gradient with respect to the output; of the shape and type of `act`.
/// \throws poputil::poplibs_error for SOFTMAX_SCALED, whose scale is the caller's to undo, and for
///         different shapes or types.
poplar::Tensor nonLinearityInputGradient(poplar::Graph& graph, NonLinearityType nonLinearityType,
                                         poplar::Tensor act, poplar::Tensor outGradient,
                                         poplar::program::Sequence& prog,
                                         const poplar::DebugContext& debugContext = {});

// Each function by its own name: NAME(graph, t, prog) and NAMEInPlace(graph, t, prog), both also
// with nonLinearityScaling after `t`.
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
