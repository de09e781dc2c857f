// Softmax and its gradient. After popart/op/softmax.hpp of PopART 3.
#ifndef popart_op_softmax_hpp
#define popart_op_softmax_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Softmax along an axis; before opset 13 over all dimensions from the axis on.
class SoftmaxOp : public ElementWiseUnaryOp {
 public:
  SoftmaxOp(const OperatorIdentifier& opid, int64_t axis, const Op::Settings& settings)
      : ElementWiseUnaryOp(opid, settings), axis_(axis) {}
  ~SoftmaxOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  /// As given: it may be negative.
  int64_t getAxis() const { return axis_; }
  void setAxis(int64_t axis);

 private:
  int64_t axis_;
};

/// The gradient of the input, from that of the output and the probabilities.
class SoftmaxGradOp : public Op {
 public:
  using Op::Op;
  ~SoftmaxGradOp() override;

  static InIndex getGradProbsInIndex() { return 0; }
  static InIndex getProbsInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { outInfo(getOutIndex()) = inInfo(getProbsInIndex()); }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
};

/// Its variant in place.
class SoftmaxInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit SoftmaxInplaceOp(const SoftmaxOp& op);
  ~SoftmaxInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  int64_t getAxis() const { return axis_; }

 private:
  int64_t axis_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
