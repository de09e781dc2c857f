// The programs that say how what follows them rounds.
#ifndef popir_poplar_rounding_program_hpp
#define popir_poplar_rounding_program_hpp

#include <poplar/Program.hpp>

namespace popir {

poplar::program::Program roundingProgram(bool stochastic, const poplar::DebugContext& debugContext);

/// Starts the draws of stochastic rounding anew.
/// \throws poplar::control_program_error unless `seed` is UNSIGNED_INT [2].
poplar::program::Program seedProgram(const poplar::Tensor& seed, unsigned modifier,
                                     const poplar::DebugContext& debugContext);

}  // namespace popir

#endif
