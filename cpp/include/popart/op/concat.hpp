// Tensors joined along an axis. After popart/op/concat.hpp of PopART 3.
#ifndef popart_op_concat_hpp
#define popart_op_concat_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ConcatOp : public Op {
 public:
  /// `axis` may be negative: counted from the end.
  ConcatOp(const OperatorIdentifier& opid, int64_t axis, const Op::Settings& settings)
      : Op(opid, settings), axis_(axis) {}
  ~ConcatOp() override;

  static InIndex getInIndex(InIndex index) { return index; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() final;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  int64_t getAxis() const { return axis_; }
  /// \throws error for shapes that differ in another dimension
  static Shape getOutputShape(int64_t axis, const std::vector<const Shape*> inputs);
  bool canBeReplacedByIdentity() const override { return input->n() == 1; }
  view::RegMap fwdRegMap(InIndex in, OutIndex out) const override;
  view::RegMap bwdRegMap(InIndex in, OutIndex out) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;

 private:
  /// Where an input begins along the axis.
  int64_t begin(InIndex in) const;

  int64_t axis_;
};

/// Its output shows its inputs.
class ConcatInplaceOp : public ConcatOp {
 public:
  ConcatInplaceOp(int64_t axis, const Op::Settings& settings);
  ConcatInplaceOp(const ConcatOp& op, int64_t axis);
  ~ConcatInplaceOp() override;

  std::unique_ptr<Op> clone() const override;
  view::Regions aliases(InIndex in, OutIndex) const override { return uses(in); }
};

/// The gradient of one input: its part of that of the result.
class ConcatGradOp : public builtin::GradOp {
 public:
  ConcatGradOp(const ConcatOp& fwdOp, InIndex input);
  ~ConcatGradOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  int64_t getAxis() const { return axis_; }
  /// Along the axis, where the part begins and ends.
  int64_t getStart() const { return start_; }
  int64_t getEnd() const { return end_; }

 private:
  int64_t axis_, start_ = 0, end_ = 0;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
