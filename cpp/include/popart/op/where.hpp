// Elements of one tensor or of another one. After popart/op/where.hpp of PopART 3.
#ifndef popart_op_where_hpp
#define popart_op_where_hpp

#include <popart/op/builtin.hpp>

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
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
