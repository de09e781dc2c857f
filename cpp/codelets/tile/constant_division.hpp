// Divisions by a constant, which no division of the runtime is called for.
#ifndef popir_codelets_tile_constant_division_hpp
#define popir_codelets_tile_constant_division_hpp

#include <optional>

#include "codelets/tile/ir.hpp"

namespace popir::tile {

/// Instructions of a tile's compiler for the upper word of a product: graphcore/llvm-project-fork,
/// mulhu and mulhs of its tests.
constexpr unsigned kUpperProduct = 16;

/// Instructions of the main pipeline that a quotient or rest of integers takes, where the divisor
/// is a constant of at most 32 bits other than 0. Empty for all other instructions.
///
/// A power of two is shifted by. Any other divisor is multiplied by a reciprocal, as Granlund and
/// Montgomery have it.
std::optional<unsigned> constantDivision(const Instruction& instruction);

}  // namespace popir::tile

#endif
