// Programs that control rounding.
#ifndef popir_poplar_rounding_program_hpp
#define popir_poplar_rounding_program_hpp

#include <poplar/Program.hpp>

namespace popir {

poplar::program::Program roundingProgram(bool stochastic, const poplar::DebugContext& debugContext);

/// A program that seeds stochastic rounding.
/// \throws poplar::control_program_error unless `seed` is UNSIGNED_INT [2]
poplar::program::Program seedProgram(const poplar::Tensor& seed, unsigned modifier,
                                     const poplar::DebugContext& debugContext);

}  // namespace popir

#endif
