// Base of operators that sort. After popart/op/basesort.hpp of PopART 3.
#ifndef popart_op_basesort_hpp
#define popart_op_basesort_hpp

#include <popart/op/builtin.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class BaseSortOp : public Op {
 public:
  BaseSortOp(const OperatorIdentifier& opid, int64_t axis, const Op::Settings& settings)
      : Op(opid, settings), axis_(axis) {}
  ~BaseSortOp() override;

  static int getInIndex() { return 0; }
  std::unique_ptr<Op> clone() const override = 0;
  void setup() override { builtin::setup(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  int64_t getAxis() const { return axis_; }

 private:
  int64_t axis_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
