// The negative log-likelihood. After popart/op/nll.hpp of PopART 3.
#ifndef popart_op_nll_hpp
#define popart_op_nll_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/loss.hpp>
#include <popart/vendored/optional.hpp>

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

}  // namespace popart

#pragma GCC visibility pop

#endif
