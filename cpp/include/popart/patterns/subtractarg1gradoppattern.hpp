// Takes a gradient of an element-wise operator apart. After popart/patterns/subtractarg1gradoppattern.hpp of PopART 3.
#ifndef popart_patterns_subtractarg1gradoppattern_hpp
#define popart_patterns_subtractarg1gradoppattern_hpp

#include <popart/patterns/binarygradoppattern.hpp>

#pragma GCC visibility push(default)

namespace popart {

/// The gradient of what is subtracted becomes -g.
class SubtractArg1GradOpPattern : public BinaryGradOpPattern {
 public:
  ~SubtractArg1GradOpPattern() override;
  bool matches(Op* op) const override;

 protected:
  TensorId makeAllReplacementOps(Op* op, Ir* ir, const Tensor& gradIn, const Tensor& fwdIn0,
                                 const Tensor& fwdIn1, const Tensor& fwdOut) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
