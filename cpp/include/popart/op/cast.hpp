// Changes of the element type. After popart/op/cast.hpp of PopART 3.
#ifndef popart_op_cast_hpp
#define popart_op_cast_hpp

#include <popart/op/builtin.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class CastOp : public Op {
 public:
  CastOp(const OperatorIdentifier& opid, DataType to, const Op::Settings& settings)
      : Op(opid, settings), to_(to) {}
  ~CastOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { outInfo(getOutIndex()) = {to_, inShape(getInIndex())}; }
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  DataType toDataType() const { return to_; }
  bool canBeReplacedByIdentity() const override { return inInfo(getInIndex()).dataType() == to_; }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }

 private:
  DataType to_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
