// Base of patterns that take gradients of operators with two inputs apart. After popart/patterns/binarygradoppattern.hpp of PopART 3.
#ifndef popart_patterns_binarygradoppattern_hpp
#define popart_patterns_binarygradoppattern_hpp

#include <popart/ir.hpp>
#include <popart/patterns/pattern.hpp>
#include <popart/tensor.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// What makeAllReplacementOps() adds takes the place of an ElementWiseBinaryGradOp; its result is summed
/// over the dimensions in which the input was broadcast.
class BinaryGradOpPattern : public PreAliasPattern {
 public:
  ~BinaryGradOpPattern() override;
  std::vector<const Tensor*> touches(Op*) const override;
  /// \throws error for an operator that is no ElementWiseBinaryGradOp
  bool apply(Op* op) const final;

 protected:
  /// Adds operators to the graph that compute the gradient in the shape of `gradIn`. Returns the
  /// tensor with it. `op` has no inputs and outputs any more, and stays.
  virtual TensorId makeAllReplacementOps(Op* op, Ir* ir, const Tensor& gradIn, const Tensor& fwdIn0,
                                         const Tensor& fwdIn1, const Tensor& fwdOut) const = 0;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
