// The identity. After popart/op/identity.hpp of PopART 3.
#ifndef popart_op_identity_hpp
#define popart_op_identity_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>
#include <popart/op/loss.hpp>

#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class IdentityOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~IdentityOp() override;

  std::unique_ptr<Op> clone() const override;
  bool isOutplaceViewChange() const override { return true; }
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  bool canBeReplacedByIdentity() const override { return true; }
};

/// The gradient of an operator that returns its input. The output aliases the input.
class IdentityGradOp : public IdentityOp {
 public:
  explicit IdentityGradOp(const IdentityOp& fwdOp);
  explicit IdentityGradOp(const Op::Settings& settings);
  ~IdentityGradOp() override;

  std::unique_ptr<Op> clone() const override;
  const std::vector<GradInOutMapper>& gradInputInfo() const override;
  const std::map<int, int>& gradOutToNonGradIn() const override;
  view::Regions aliases(InIndex in, OutIndex) const override { return uses(in); }
};

class IdentityInplaceOp : public ElementWiseInplaceUnaryOp {
 public:
  using ElementWiseInplaceUnaryOp::ElementWiseInplaceUnaryOp;
  explicit IdentityInplaceOp(const IdentityOp& op);
  IdentityInplaceOp(const IdentityInplaceOp&) = default;
  ~IdentityInplaceOp() override;

  std::unique_ptr<Op> clone() const override;
  bool isInplaceViewChange() const override { return true; }
};

/// The input as a loss: its sum, its mean, or itself without a reduction.
class IdentityLossOp : public LossOp {
 public:
  IdentityLossOp(const OperatorIdentifier& opid, const ReductionType& reduction,
                 const Op::Settings& settings)
      : LossOp(opid, settings, reduction) {}
  ~IdentityLossOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void setup() override;
  bool canBeReplacedByIdentity() const override {
    return getReductionType() == ReductionType::NoReduction;
  }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
};

/// Its gradient.
class IdentityLossGradOp : public builtin::GradOp {
 public:
  explicit IdentityLossGradOp(const IdentityLossOp& fwdOp);
  ~IdentityLossGradOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  bool canBeReplacedByIdentity() const override { return reduction_ == ReductionType::NoReduction; }
  bool canShard() const override { return true; }
  ReductionType getReductionType() const { return reduction_; }

 private:
  ReductionType reduction_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
