// The negative log-likelihood. After popart/op/nll.hpp of PopART 3.
#ifndef popart_op_nll_hpp
#define popart_op_nll_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/loss.hpp>
#include <popart/vendored/optional.hpp>

#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The loss of probabilities, or of their logarithms, for labels.
class NllOp : public LossOp {
 public:
  NllOp(const OperatorIdentifier& opid, const nonstd::optional<int> ignoreIndex,
        const ReductionType reduction, bool inputIsLogProbability, const Op::Settings& settings)
      : LossOp(opid, settings, reduction),
        ignoreIndex_(ignoreIndex),
        inputIsLogProbability_(inputIsLogProbability) {}
  ~NllOp() override;

  static InIndex getProbsInIndex() { return 0; }
  static InIndex getLabelInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void setup() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
  bool hasIgnoreIndex() const { return static_cast<bool>(ignoreIndex_); }
  nonstd::optional<int> getOptionalIgnoreIndex() const { return ignoreIndex_; }
  /// \throws an exception if no label is ignored
  int getIgnoreIndex() const { return ignoreIndex_.value(); }
  bool inputIsLogProbability() const { return inputIsLogProbability_; }

 private:
  nonstd::optional<int> ignoreIndex_;
  bool inputIsLogProbability_;
};

/// The gradient of the probabilities, or of their logarithms: of the input's type and shape. The
/// loss's gradient may have another type. For graphs that a program makes.
class NllGradOp : public Op {
 public:
  explicit NllGradOp(const NllOp& op);
  NllGradOp(const TensorId& lossId, const nonstd::optional<int> ignoreIndex,
            const ReductionType reduction, const bool inputIsLogProbability,
            const Op::Settings& settings);
  ~NllGradOp() override;

  static InIndex getProbsInIndex() { return 0; }
  static InIndex getLabelInIndex() { return 1; }
  static InIndex getGradInIndex() { return 2; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { outInfo(getOutIndex()) = inInfo(getProbsInIndex()); }
  const std::vector<GradInOutMapper>& gradInputInfo() const override;
  const std::map<int, int>& gradOutToNonGradIn() const override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
  ReductionType getReductionType() const { return reduction_; }
  bool hasIgnoreIndex() const { return static_cast<bool>(ignoreIndex_); }
  nonstd::optional<int> getOptionalIgnoreIndex() const { return ignoreIndex_; }
  /// \throws an exception if no label is ignored
  int getIgnoreIndex() const { return ignoreIndex_.value(); }
  bool inputIsLogProbability() const { return inputIsLogProbability_; }
  TensorId getLossTensorId() const { return lossId_; }

 private:
  TensorId lossId_;
  ReductionType reduction_;
  nonstd::optional<int> ignoreIndex_;
  bool inputIsLogProbability_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
