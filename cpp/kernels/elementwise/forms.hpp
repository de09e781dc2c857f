// Element-wise work in the terms of the kernel that does it: what a pass is told which joins
// kernels.
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
    bool perChannel;  ///< [channels], the same along all dimensions of the outputs but the second
  };
  MapProgram program;
  std::vector<Input> inputs;         ///< by number of the program's inputs
  std::vector<std::size_t> outputs;  ///< the operands that its outputs are
};

/// Element-wise work that a kernel does on its result before it stores it. Input 0 of the program
/// is that result; the others are operands after the kernel's own, in order.
struct Tail {
  /// An operand [1], [channels] or of the result's shape.
  enum class Extent { Scalar, Channel, Full };
  MapProgram program;
  std::vector<Extent> extents;  ///< by number of the program's inputs; Full of the result itself
};

}  // namespace popir

#endif
