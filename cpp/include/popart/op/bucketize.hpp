// In which interval numbers are. After popart/op/bucketize.hpp of PopART 3.
#ifndef popart_op_bucketize_hpp
#define popart_op_bucketize_hpp

#include <popart/op/builtin.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class BucketizeOp : public Op {
 public:
  BucketizeOp(const OperatorIdentifier& opid, bool right, const Op::Settings& settings);
  ~BucketizeOp() override;

  static InIndex inIndex() { return 0; }
  static InIndex boundariesInIndex() { return 1; }
  static OutIndex outIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override;
  bool isRight() const noexcept;

 private:
  bool right_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
