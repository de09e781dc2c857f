// Takes a gradient of an element-wise operator apart. After popart/patterns/divarg1gradoppattern.hpp of PopART 3.
#ifndef popart_patterns_divarg1gradoppattern_hpp
#define popart_patterns_divarg1gradoppattern_hpp

#include <popart/patterns/binarygradoppattern.hpp>

#pragma GCC visibility push(default)

namespace popart {

/// The gradient of b in a / b becomes -g * a / (b * b).
class DivArg1GradOpPattern : public BinaryGradOpPattern {
 public:
  ~DivArg1GradOpPattern() override;
  bool matches(Op* op) const override;

 protected:
  TensorId makeAllReplacementOps(Op* op, Ir* ir, const Tensor& gradIn, const Tensor& fwdIn0,
                                 const Tensor& fwdIn1, const Tensor& fwdOut) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
