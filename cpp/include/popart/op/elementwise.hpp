// Base classes of element-wise operators. After popart/op/elementwise.hpp of PopART 3.
#ifndef popart_op_elementwise_hpp
#define popart_op_elementwise_hpp

#include <popart/op/gradient.hpp>

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// One input; one output of the same type and shape.
class ElementWiseUnaryOp : public Op {
 public:
  using Op::Op;
  ~ElementWiseUnaryOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() final;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override;
  void growAliasModel(AliasModel& model) const override;
  poprithms::memory::inplace::Proposal mapInplaceProposal(
      const AliasModel& model, OperatorIdentifier variant) const override;
  virtual bool isIdentity() const { return canBeReplacedByIdentity(); }
};

/// One input; one BOOL output of the same shape.
class ElementWiseUnaryBooleanOp : public Op {
 public:
  using Op::Op;
  ~ElementWiseUnaryBooleanOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() final;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
};

/// An in-place variant: the output is the modified input.
class ElementWiseInplaceUnaryOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~ElementWiseInplaceUnaryOp() override;

  std::unique_ptr<Op> clone() const override;
  view::Regions modifies(InIndex index) const final { return uses(index); }
  view::Regions aliases(InIndex in, OutIndex) const final { return uses(in); }
};

/// The gradient of a unary operator, computed from the output's gradient and the input.
class ElementWiseNonLinearUnaryGradOp : public Op, public builtin::Origin {
 public:
  ElementWiseNonLinearUnaryGradOp(const OperatorIdentifier& opid, const ElementWiseUnaryOp& fwdOp);
  /// For popir itself: of the compiler's operator `known`.
  ElementWiseNonLinearUnaryGradOp(const OperatorIdentifier& opid, const ElementWiseUnaryOp& fwdOp,
                                  const OperatorIdentifier& known);
  ~ElementWiseNonLinearUnaryGradOp() override;

  static InIndex getGradInIndex() { return 0; }
  static InIndex getFwdArgInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  void setup() final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final;
  const std::map<int, int>& gradOutToNonGradIn() const final;
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
};

/// popir's own: the same, computed from the output's gradient and the output.
class ElementWiseOutUnaryGradOp : public Op, public builtin::Origin {
 public:
  ElementWiseOutUnaryGradOp(const OperatorIdentifier& opid, const ElementWiseUnaryOp& fwdOp);
  /// For popir itself: of the compiler's operator `known`.
  ElementWiseOutUnaryGradOp(const OperatorIdentifier& opid, const ElementWiseUnaryOp& fwdOp,
                            const OperatorIdentifier& known);
  ~ElementWiseOutUnaryGradOp() override;

  static InIndex getGradInIndex() { return 0; }
  static InIndex getFwdOutInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  void setup() final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final;
  const std::map<int, int>& gradOutToNonGradIn() const final;
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
};

/// Two inputs; one output of their broadcast shape.
class ElementWiseBinaryBaseOp : public Op {
 public:
  using Op::Op;
  ~ElementWiseBinaryBaseOp() override;

  static InIndex getArg0InIndex() { return 0; }
  static InIndex getArg1InIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override;
  void growAliasModel(AliasModel& model) const override;
  view::RegMap fwdRegMap(InIndex in, OutIndex out) const final;
  view::RegMap bwdRegMap(InIndex in, OutIndex out) const final;
};

/// A binary operator that may have in-place variants for its left and right input.
class ElementWiseBinaryOp : public ElementWiseBinaryBaseOp {
 public:
  using ElementWiseBinaryBaseOp::ElementWiseBinaryBaseOp;
  ~ElementWiseBinaryOp() override;

  std::unique_ptr<Op> clone() const override;
  /// In-place variants for the inputs that have the output's shape, each with priority 10.
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const final;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const final;
  void setInplacePriority(const OperatorIdentifier& id, float priority);
  float getInplacePriority(const OperatorIdentifier& id) const;
  poprithms::memory::inplace::Proposal mapInplaceProposal(
      const AliasModel& model, OperatorIdentifier variant) const override;

 private:
  virtual bool hasLhsInplaceVariant() const { return false; }
  virtual bool hasRhsInplaceVariant() const { return false; }
  virtual std::unique_ptr<Op> getLhsInplaceVariant() const;
  virtual std::unique_ptr<Op> getRhsInplaceVariant() const;
  virtual OperatorIdentifier getLhsOperatorIdentifier() const;
  virtual OperatorIdentifier getRhsOperatorIdentifier() const;

  std::map<OperatorIdentifier, float> priorities_;
};

/// In-place variant: the output is the modified left input.
class ElementWiseBinaryInplaceLhsOp : public ElementWiseBinaryBaseOp {
 public:
  using ElementWiseBinaryBaseOp::ElementWiseBinaryBaseOp;
  ~ElementWiseBinaryInplaceLhsOp() override;

  std::unique_ptr<Op> clone() const override;
  view::Regions modifies(InIndex index) const final;
  view::Regions aliases(InIndex in, OutIndex out) const final;
};

/// In-place variant: the output is the modified right input.
class ElementWiseBinaryInplaceRhsOp : public ElementWiseBinaryBaseOp {
 public:
  using ElementWiseBinaryBaseOp::ElementWiseBinaryBaseOp;
  ~ElementWiseBinaryInplaceRhsOp() override;

  std::unique_ptr<Op> clone() const override;
  view::Regions modifies(InIndex index) const final;
  view::Regions aliases(InIndex in, OutIndex out) const final;
};

/// A binary operator with one gradient class per input. Each is constructed from the operator and
/// the axes over which the gradient is summed.
template <class Arg0GradOp, class Arg1GradOp>
class ElementWiseNpBroadcastableBinaryWithGradOp : public ElementWiseBinaryOp {
 public:
  using ElementWiseBinaryOp::ElementWiseBinaryOp;

  std::unique_ptr<Op> clone() const override {
    return std::unique_ptr<Op>(new ElementWiseNpBroadcastableBinaryWithGradOp(*this));
  }
  std::vector<std::unique_ptr<Op>> getGradOps() override {
    const Shape& out = outShape(getOutIndex());
    std::vector<std::unique_ptr<Op>> ops;
    ops.emplace_back(new Arg0GradOp(*this, npReductionAxis(inShape(getArg0InIndex()), out)));
    ops.emplace_back(new Arg1GradOp(*this, npReductionAxis(inShape(getArg1InIndex()), out)));
    return ops;
  }
};

/// The gradient of one input of a binary operator.
class ElementWiseBinaryGradOp : public Op {
 public:
  ElementWiseBinaryGradOp(const OperatorIdentifier& opid, const std::vector<int64_t>& reductionAxes,
                          const TensorInfo& forwardArgInfo, const Op::Settings& settings);
  ~ElementWiseBinaryGradOp() override;

  static InIndex getGradInIndex() { return 0; }
  static InIndex getFwdArg0InIndex() { return 1; }
  static InIndex getFwdArg1InIndex() { return 2; }
  static InIndex getFwdOutIndex() { return 3; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override = 0;
  void setup() final;
  const std::vector<int64_t>& getReductionAxes() const { return axes_; }
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  const std::vector<GradInOutMapper>& gradInputInfo() const final;
  const std::map<int, int>& gradOutToNonGradIn() const final;

 private:
  virtual bool isArg1Grad() const = 0;

  TensorInfo argInfo_;
  std::vector<int64_t> axes_;
};

class ElementWiseBinaryArg0GradOp : public ElementWiseBinaryGradOp {
 public:
  using ElementWiseBinaryGradOp::ElementWiseBinaryGradOp;
  ~ElementWiseBinaryArg0GradOp() override;
  std::unique_ptr<Op> clone() const override;

 private:
  bool isArg1Grad() const final { return false; }
};

class ElementWiseBinaryArg1GradOp : public ElementWiseBinaryGradOp {
 public:
  using ElementWiseBinaryGradOp::ElementWiseBinaryGradOp;
  ~ElementWiseBinaryArg1GradOp() override;
  std::unique_ptr<Op> clone() const override;

 private:
  bool isArg1Grad() const final { return true; }
};

/// Two inputs; one BOOL output.
class BinaryComparisonOp : public Op {
 public:
  using Op::Op;
  ~BinaryComparisonOp() override;

  static InIndex getArg0InIndex() { return 0; }
  static InIndex getArg1InIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() final;
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
