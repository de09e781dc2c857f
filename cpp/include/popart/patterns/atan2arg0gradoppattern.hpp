// Takes a gradient of an element-wise operator apart. After popart/patterns/atan2arg0gradoppattern.hpp of PopART 3.
#ifndef popart_patterns_atan2arg0gradoppattern_hpp
#define popart_patterns_atan2arg0gradoppattern_hpp

#include <popart/patterns/binarygradoppattern.hpp>

#pragma GCC visibility push(default)

namespace popart {

/// The gradient of a in atan2(a, b) becomes g * b / (a * a + b * b).
class Atan2Arg0GradOpPattern : public BinaryGradOpPattern {
 public:
  ~Atan2Arg0GradOpPattern() override;
  bool matches(Op* op) const override;

 protected:
  TensorId makeAllReplacementOps(Op* op, Ir* ir, const Tensor& gradIn, const Tensor& fwdIn0,
                                 const Tensor& fwdIn1, const Tensor& fwdOut) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
