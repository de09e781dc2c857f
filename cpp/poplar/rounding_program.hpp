// Programs that control rounding and floating-point exceptions.
#ifndef popir_poplar_rounding_program_hpp
#define popir_poplar_rounding_program_hpp

#include <poplar/Program.hpp>

namespace popir {

/// What ends a run, as bits: a vertex that makes NaN, infinity, or infinity in half.
enum FloatTrap : unsigned { kTrapNan = 1, kTrapInfinity = 2, kTrapHalf = 4 };

/// \param traps bits of FloatTrap, for all programs of an Engine
poplar::program::Program roundingProgram(bool stochastic, const poplar::DebugContext& debugContext,
                                         unsigned traps = 0);

/// A program that seeds stochastic rounding.
/// \throws poplar::control_program_error unless `seed` is UNSIGNED_INT [2]
poplar::program::Program seedProgram(const poplar::Tensor& seed, unsigned modifier,
                                     const poplar::DebugContext& debugContext);

}  // namespace popir

#endif
