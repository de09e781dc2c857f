// Copies between strided boxes of variables, for Copy programs, gathers and scatters.
#ifndef popir_program_strided_copy_hpp
#define popir_program_strided_copy_hpp

#include <memory>
#include <vector>

#include "kernels/kernel.hpp"
#include "poplar/view.hpp"

namespace popir {

/// Copies one box: nest.from addresses elements of operand `src`, nest.to of operand `dst`.
struct Move {
  unsigned src, dst;
  Nest nest;
};

/// Operands are the base pointers of whole variables (or of dense temporaries).
std::unique_ptr<Runner> makeStridedCopy(std::vector<Move> moves, std::size_t elementBytes,
                                        unsigned threads);

}  // namespace popir

#endif
