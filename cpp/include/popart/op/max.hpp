// The largest of any number of inputs. After popart/op/max.hpp of PopART 3.
#ifndef popart_op_max_hpp
#define popart_op_max_hpp

#include <popart/op/sum.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

class MaxOp : public VariadicOp {
 public:
  using VariadicOp::VariadicOp;
  ~MaxOp() override;

  std::unique_ptr<Op> clone() const override;

 private:
  std::unique_ptr<Op> getIthGrad(int i) const override;
};

/// The gradient of one input.
class MaxArgGradOp : public NonLinearVariadicGradOp {
 public:
  MaxArgGradOp(const MaxOp& fwdOp, InIndex index);
  ~MaxArgGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
