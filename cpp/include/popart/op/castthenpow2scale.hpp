// Conversion from 8-bit floats. After popart/op/castthenpow2scale.hpp of PopART 3.
#ifndef popart_op_castthenpow2scale_hpp
#define popart_op_castthenpow2scale_hpp

#include <popart/op/builtin.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Input 0, of FLOAT8_143 or FLOAT8_152, in FLOAT16 or FLOAT, times 2 to the power of input 1, a scalar
/// of INT32.
class CastThenPow2ScaleOp : public Op {
 public:
  CastThenPow2ScaleOp(const OperatorIdentifier& opid, DataType to, const Op::Settings& settings)
      : Op(opid, settings), to_(to) {}
  ~CastThenPow2ScaleOp() override;

  static InIndex getInIndex() { return 0; }
  static InIndex getlog2ScaleInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  /// \throws error for an input of another type
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
