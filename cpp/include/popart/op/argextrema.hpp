// Base of ArgMax and ArgMin. After popart/op/argextrema.hpp of PopART 3.
#ifndef popart_op_argextrema_hpp
#define popart_op_argextrema_hpp

#include <popart/op/builtin.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ArgExtremaOp : public Op {
 public:
  ArgExtremaOp(const OperatorIdentifier& opid, int64_t axis, int64_t keepdims,
               const Op::Settings& settings)
      : Op(opid, settings), axis_(axis), keepdims_(keepdims) {}
  ~ArgExtremaOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { builtin::setup(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
  int64_t getAxis() const { return axis_; }
  int64_t getKeepDims() const { return keepdims_; }

 private:
  int64_t axis_;
  int64_t keepdims_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
