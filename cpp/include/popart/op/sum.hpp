// The sum of any number of tensors. After popart/op/sum.hpp of PopART 3.
#ifndef popart_op_sum_hpp
#define popart_op_sum_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Any number of inputs, which are broadcast; one output.
class VariadicOp : public Op {
 public:
  using Op::Op;
  ~VariadicOp() override;

  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override = 0;
  void setup() final;
  /// One gradient for each input.
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  /// True with a single input.
  bool canBeReplacedByIdentity() const final { return input->n() == 1; }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }

 private:
  virtual std::unique_ptr<Op> getIthGrad(int) const { builtin::refuseGradient(*this); }
};

/// The sum of the inputs.
class SumOp : public VariadicOp {
 public:
  using VariadicOp::VariadicOp;
  ~SumOp() override;

  std::unique_ptr<Op> clone() const override;
  bool canShard() const override { return true; }

 private:
  std::unique_ptr<Op> getIthGrad(int i) const override;
};

/// The gradient of one input.
class VariadicGradOp : public builtin::GradOp {
 public:
  VariadicGradOp(const OperatorIdentifier& opid, const VariadicOp& fwdOp, InIndex index,
                 const OperatorIdentifier& known, bool isLinear);
  ~VariadicGradOp() override;

  static InIndex getGradInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  InIndex getFwdIndex() { return index_; }
  const TensorInfo& getFwdInputInfo() { return forwardInput(*this, index_); }

 private:
  InIndex index_;
};

/// One that reads the input and the result.
class NonLinearVariadicGradOp : public VariadicGradOp {
 public:
  NonLinearVariadicGradOp(const OperatorIdentifier& opid, const VariadicOp& fwdOp, InIndex index,
                          const OperatorIdentifier& known)
      : VariadicGradOp(opid, fwdOp, index, known, false) {}
  ~NonLinearVariadicGradOp() override;

  static InIndex getFwdInIndex() { return 1; }
  static InIndex getFwdOutInIndex() { return 2; }
  std::unique_ptr<Op> clone() const override;
};

/// One that reads neither.
class LinearVariadicGradOp : public VariadicGradOp {
 public:
  LinearVariadicGradOp(const OperatorIdentifier& opid, const VariadicOp& fwdOp, InIndex index,
                       const OperatorIdentifier& known)
      : VariadicGradOp(opid, fwdOp, index, known, true) {}
  ~LinearVariadicGradOp() override;

  std::unique_ptr<Op> clone() const override;
  /// Whether it is the gradient of the result times getScale().
  virtual bool hasScale() const { return false; }
  virtual float getScale() const { return 1.0f; }
};

/// The gradient of one input.
class SumArgGradOp : public LinearVariadicGradOp {
 public:
  SumArgGradOp(const SumOp& fwdOp, InIndex index);
  ~SumArgGradOp() override;

  std::unique_ptr<Op> clone() const final;
  bool canBeReplacedByIdentity() const override {
    return inShape(getGradInIndex()) == outShape(getOutIndex());
  }
  bool canShard() const override { return true; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
