// Elements of one tensor or of another one. After popart/op/where.hpp of PopART 3.
#ifndef popart_op_where_hpp
#define popart_op_where_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class WhereOp : public Op {
 public:
  using Op::Op;
  ~WhereOp() override;

  static InIndex conditionInIndex() { return 0; }
  static InIndex xInIndex() { return 1; }
  static InIndex yInIndex() { return 2; }
  static OutIndex outIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { builtin::setup(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
};

/// The gradient of x: that of the result where x was taken, summed over what was broadcast.
class WhereXGradOp : public builtin::GradOp {
 public:
  explicit WhereXGradOp(const WhereOp& fwdOp);
  ~WhereXGradOp() override;

  static InIndex fwdConditionInIndex() { return 0; }
  static InIndex outGradInIndex() { return 1; }
  static OutIndex outIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;
  std::vector<std::size_t> getFwdInShape() const;
};

/// The gradient of y: that of the result where y was taken, summed over what was broadcast.
class WhereYGradOp : public builtin::GradOp {
 public:
  explicit WhereYGradOp(const WhereOp& fwdOp);
  ~WhereYGradOp() override;

  static InIndex fwdConditionInIndex() { return 0; }
  static InIndex outGradInIndex() { return 1; }
  static OutIndex outIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;
  std::vector<std::size_t> getFwdInShape() const;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
