// The smallest of any number of inputs. After popart/op/min.hpp of PopART 3.
#ifndef popart_op_min_hpp
#define popart_op_min_hpp

#include <popart/op/sum.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

class MinOp : public VariadicOp {
 public:
  using VariadicOp::VariadicOp;
  ~MinOp() override;

  std::unique_ptr<Op> clone() const override;

 private:
  std::unique_ptr<Op> getIthGrad(int i) const override;
};

/// The gradient of one input.
class MinArgGradOp : public NonLinearVariadicGradOp {
 public:
  MinArgGradOp(const MinOp& fwdOp, InIndex index);
  ~MinArgGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
