// How kernels describe their element-wise work to the passes that fuse steps.
#ifndef popir_kernels_elementwise_forms_hpp
#define popir_kernels_elementwise_forms_hpp

#include <cstddef>
#include <vector>

#include "kernels/elementwise/program.hpp"

namespace popir {

/// A kernel that is an element-wise program over its operands.
struct ElementWiseForm {
  struct Input {
    std::size_t operand;
    bool perChannel;  ///< [channels], broadcast along all dimensions of the outputs but the second
  };
  MapProgram program;
  std::vector<Input> inputs;         ///< by input of the program
  std::vector<std::size_t> outputs;  ///< by output of the program: the operand that it writes
};

/// A kernel that is an element-wise program over its operands, some values of which are summed over
/// all dimensions but that of the channels, the second.
struct SummingForm {
  ElementWiseForm map;            ///< the last outputs of its program are summed, others stored
  std::vector<std::size_t> sums;  ///< for each that is summed: the operand of its sums, [channels]
};

/// Element-wise work that a kernel does on its result before storing it. Input 0 of the program is
/// this result. The other inputs are further operands, after those of the kernel itself, in order.
struct Tail {
  /// Shape of an operand: [1], [channels], [columns], or that of the result. Channels are its second
  /// dimension, columns its last one, if that is another or there are only two.
  enum class Extent { Scalar, Channel, Column, Full };
  MapProgram program;
  std::vector<Extent> extents;  ///< by input of the program; Full for input 0
};

}  // namespace popir

#endif
