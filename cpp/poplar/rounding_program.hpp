// Programs that control rounding and floating-point exceptions.
#ifndef popir_poplar_rounding_program_hpp
#define popir_poplar_rounding_program_hpp

#include <poplar/Program.hpp>

namespace popir {

/// What ends a run, as bits: a vertex that makes NaN, infinity, or infinity in half.
enum FloatTrap : unsigned { kTrapNan = 1, kTrapInfinity = 2, kTrapHalf = 4 };

/// In the argument `traps` behind FloatTrap: bits of Target::makeFpIctlValue() that the program sets,
/// and a bit that says that it clears the others, but for stochastic rounding.
constexpr unsigned kTraps = 0xff, kBehaviourShift = 8, kSetsAll = 1u << 16;

/// \param traps bits of FloatTrap, for all programs of an Engine
poplar::program::Program roundingProgram(bool stochastic, const poplar::DebugContext& debugContext,
                                         unsigned traps = 0);

/// Programs of ProgramNode's kinds ModifyRounding and RestoreRounding.
/// \throws poplar::control_program_error unless `table` has 32 elements of UNSIGNED_INT, and the other
/// tensor is a variable of it
poplar::program::Program modifyRoundingProgram(const poplar::Tensor& table,
                                               const poplar::Tensor& before, unsigned change,
                                               const poplar::DebugContext& debugContext);
poplar::program::Program restoreRoundingProgram(const poplar::Tensor& before,
                                                const poplar::DebugContext& debugContext);

/// The bits of FloatTrap that a behaviour has, as bits of Target::makeFpIctlValue().
unsigned trapsOf(unsigned behaviour);

/// A program that seeds stochastic rounding.
/// \throws poplar::control_program_error unless `seed` is UNSIGNED_INT [2]
poplar::program::Program seedProgram(const poplar::Tensor& seed, unsigned modifier,
                                     const poplar::DebugContext& debugContext);

}  // namespace popir

#endif
