// Copies between strided boxes of variables: what Copy programs, gathers and scatters become.
#ifndef popir_poplar_strided_copy_hpp
#define popir_poplar_strided_copy_hpp

#include <memory>
#include <vector>

#include "kernels/kernel.hpp"
#include "poplar/view.hpp"

namespace popir {

/// One box: nest.from counts elements of operand `src`, nest.to those of operand `dst`.
struct Move {
  unsigned src, dst;
  Nest nest;
};

/// Operands are the base pointers of whole variables (or of dense temporaries).
std::unique_ptr<Runner> makeStridedCopy(std::vector<Move> moves, std::size_t elementBytes,
                                        unsigned threads);

}  // namespace popir

#endif
