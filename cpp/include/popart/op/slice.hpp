// Slices along dimensions. After popart/op/slice.hpp of PopART 3.
#ifndef popart_op_slice_hpp
#define popart_op_slice_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/pad.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Base of slices of input 0: elements starts[i], starts[i] + steps[i], ... before ends[i] of
/// dimension axes[i]. Without `axes`, of the first dimensions; without `steps`, by 1.
class BaseSliceOp : public Op {
 public:
  BaseSliceOp(const OperatorIdentifier& opid, const std::vector<int64_t>& starts,
              const std::vector<int64_t>& ends, const std::vector<int64_t>& axes,
              const std::vector<int64_t>& steps, const Op::Settings& settings);
  ~BaseSliceOp() override;

  static InIndex getInIndex() { return 0; }
  static InIndex getStartsInIndex() { return 1; }
  static InIndex getEndsInIndex() { return 2; }
  static InIndex getAxesInIndex() { return 3; }
  static InIndex getStepsInIndex() { return 4; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  /// \throws error for bounds, axes and steps that do not go together, and for an axis that the
  /// input lacks
  void setup() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
  const std::vector<int64_t>& getStarts() const { return starts_; }
  const std::vector<int64_t>& getEnds() const { return ends_; }
  const std::vector<int64_t>& getAxes() const { return axes_; }
  const std::vector<int64_t>& getSteps() const { return steps_; }
  void setStarts(const std::vector<int64_t>& x) { set(starts_, x); }
  void setEnds(const std::vector<int64_t>& x) { set(ends_, x); }
  void setAxes(const std::vector<int64_t>& x) { set(axes_, x); }
  void setSteps(const std::vector<int64_t>& x) { set(steps_, x); }
  /// Of the gradient: what lies around the slice in the input, in front in each dimension, then
  /// behind; and the dimensions that it reverses.
  /// \throws error for a step other than 1 and -1
  std::vector<int64_t> getPads() const;
  std::vector<unsigned> getFlips() const;
  /// Of regions of the input to those of the output that lie there; with steps of more than 1, of all
  /// that is between.
  view::RegMap fwdRegMap(InIndex in, OutIndex out) const override;
  view::RegMap bwdRegMap(InIndex in, OutIndex out) const override;

 private:
  /// In each dimension of the input: the first element, the step, and how many there are.
  struct Range {
    int64_t start, step, count;
  };
  std::vector<Range> ranges() const;
  /// In each dimension, the elements in front of the slice and behind it.
  std::vector<std::pair<int64_t, int64_t>> around() const;

  void set(std::vector<int64_t>& list, const std::vector<int64_t>& x);

  std::vector<int64_t> starts_, ends_, axes_, steps_;
};

class SliceOp : public BaseSliceOp {
 public:
  using BaseSliceOp::BaseSliceOp;
  SliceOp(const OperatorIdentifier& opid, const std::vector<int64_t>& starts,
          const std::vector<int64_t>& ends, const std::vector<int64_t>& axes,
          const Op::Settings& settings)
      : BaseSliceOp(opid, starts, ends, axes, {}, settings) {}
  ~SliceOp() override;

  std::unique_ptr<Op> clone() const override;
  bool isOutplaceViewChange() const override { return true; }
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& variant) const override;
};

/// The output shows elements of the input. For graphs that a program makes.
class SliceInplaceOp : public BaseSliceOp {
 public:
  using BaseSliceOp::BaseSliceOp;
  explicit SliceInplaceOp(const SliceOp& op);
  ~SliceInplaceOp() override;

  std::unique_ptr<Op> clone() const override;
  view::Regions aliases(InIndex in, OutIndex out) const override;
  bool isInplaceViewChange() const override { return true; }
};

/// The gradient of a slice: its elements in their place, among zeros. An operator of the compiler's
/// has no pads here; what it takes the place of is the compiler's to know.
class SliceGradOp : public BasePadOutplaceOp {
 public:
  /// \throws error for a slice with steps other than 1 and -1
  explicit SliceGradOp(const SliceOp& op);
  /// For the compiler's operators.
  SliceGradOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~SliceGradOp() override;

  std::unique_ptr<Op> clone() const final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final;
  const std::map<int, int>& gradOutToNonGradIn() const final;
  bool canShard() const override { return true; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
