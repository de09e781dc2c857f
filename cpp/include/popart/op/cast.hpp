// Changes of the element type. After popart/op/cast.hpp of PopART 3.
#ifndef popart_op_cast_hpp
#define popart_op_cast_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <map>
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
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  ReplicatedTensorShardingIndices getReplicatedTensorShardingIndices() const override {
    return {{{getInIndex()}, {getOutIndex()}}};
  }
  DataType toDataType() const { return to_; }
  bool canBeReplacedByIdentity() const override { return inInfo(getInIndex()).dataType() == to_; }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }

 private:
  DataType to_;
};

/// Its gradient: a cast to the type of the input.
class CastGradOp : public CastOp, public builtin::Origin {
 public:
  explicit CastGradOp(const CastOp& fwdOp);
  ~CastGradOp() override;

  std::unique_ptr<Op> clone() const final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final { return builtin::ofResult; }
  const std::map<int, int>& gradOutToNonGradIn() const final { return builtin::ofInput; }
  std::vector<std::unique_ptr<Op>> getGradOps() final { builtin::refuseGradient(*this); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
