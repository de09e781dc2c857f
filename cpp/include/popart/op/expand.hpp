// A tensor, broadcast. After popart/op/expand.hpp of PopART 3.
#ifndef popart_op_expand_hpp
#define popart_op_expand_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ExpandOp : public Op {
 public:
  using Op::Op;
  ~ExpandOp() override;

  static InIndex getInTensorIndex() { return 0; }
  static InIndex getInShapeIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { builtin::setup(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  /// What the output has.
  Shape getOutShape() const { return outShape(getOutIndex()); }
  bool canBeReplacedByIdentity() const override {
    return inShape(getInTensorIndex()) == outShape(getOutIndex());
  }
};

/// Its gradient: the sum over what was broadcast.
class ExpandGradOp : public builtin::GradOp {
 public:
  explicit ExpandGradOp(const ExpandOp& fwdOp);
  ~ExpandGradOp() override;

  static InIndex getDYIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;
  /// The shape of the input.
  std::vector<std::size_t> getXShape() { return forwardInput(*this, 0).shape_szt(); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
