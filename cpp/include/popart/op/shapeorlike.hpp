// Base of operators that make a tensor of a given shape, or like another one. After popart/op/shapeorlike.hpp of PopART 3.
#ifndef popart_op_shapeorlike_hpp
#define popart_op_shapeorlike_hpp

#include <popart/datatype.hpp>
#include <popart/op/randombase.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ShapeOrLikeOp : public RandomBaseOp {
 public:
  using RandomBaseOp::RandomBaseOp;
  ~ShapeOrLikeOp() override;

  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override = 0;
  void setup() override { builtin::setup(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  const OptionalDataType& getDataType() const { return getOptionalDataType(); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
