// Conversion to 8-bit floats. After popart/op/pow2scalethencast.hpp of PopART 3.
#ifndef popart_op_pow2scalethencast_hpp
#define popart_op_pow2scalethencast_hpp

#include <popart/op/builtin.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Input 0 times 2 to the power of input 1, a scalar of INT32, in FLOAT8_143 or FLOAT8_152.
class Pow2ScaleThenCastOp : public Op {
 public:
  Pow2ScaleThenCastOp(const OperatorIdentifier& opid, DataType to, const Op::Settings& settings)
      : Op(opid, settings), to_(to) {}
  ~Pow2ScaleThenCastOp() override;

  static InIndex getInIndex() { return 0; }
  static InIndex getlog2ScaleInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  /// \throws error for another type `to`
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  DataType toDataType() const { return to_; }
  bool canBeReplacedByIdentity() const override { return false; }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }

 private:
  DataType to_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
