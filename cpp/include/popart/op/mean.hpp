// Means of any number of inputs. After popart/op/mean.hpp of PopART 3.
#ifndef popart_op_mean_hpp
#define popart_op_mean_hpp

#include <popart/op/sum.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// The mean of the inputs.
class MeanOp : public VariadicOp {
 public:
  using VariadicOp::VariadicOp;
  ~MeanOp() override;

  std::unique_ptr<Op> clone() const override;
  bool canShard() const override { return true; }

 private:
  std::unique_ptr<Op> getIthGrad(int i) const override;
};

/// The gradient of one input.
class MeanArgGradOp : public LinearVariadicGradOp {
 public:
  MeanArgGradOp(const MeanOp& fwdOp, InIndex index);
  ~MeanArgGradOp() override;

  std::unique_ptr<Op> clone() const final;
  bool hasScale() const final { return true; }
  float getScale() const final { return 1.0f / static_cast<float>(forwardInputs().size()); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
