// Which loops a tile's compiler vectorises.
#ifndef popir_codelets_tile_vector_loops_hpp
#define popir_codelets_tile_vector_loops_hpp

#include <cstddef>
#include <vector>

#include "codelets/tile/ir.hpp"

namespace popir::tile {

/// A loop that takes several elements a turn: as many floats or halves as have 64 bits.
struct VectorLoop {
  std::size_t line = 0;  ///< of the branch that ends a turn, in the module's text
  unsigned width = 2;    ///< elements a turn
};

/// The loops of one block that read and write floats or halves in a row, and only add, subtract,
/// multiply, compare for the larger or smaller one, and convert them. Graphcore's compiler is LLVM's
/// with registers of 64 bits for vectors, of floats and halves alone: such loops are half as long or
/// less for each element. Sums over a loop stay in their order, and are left out.
std::vector<VectorLoop> vectorLoops(const Function& function);

}  // namespace popir::tile

#endif
