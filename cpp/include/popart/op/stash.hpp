// Values that a pipeline keeps for later stages. After popart/op/stash.hpp of PopART 3.
#ifndef popart_op_stash_hpp
#define popart_op_stash_hpp

#include <popart/op.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// Writes its input to the next of `stashSize` places. The output has a dimension for them.
class StashOp : public Op {
 public:
  StashOp(const OperatorIdentifier& opid, int64_t stashSize, const Op::Settings& settings)
      : Op(opid, settings), stashSize_(stashSize) {}
  ~StashOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  int64_t getStashSize() const { return stashSize_; }
  /// The id that PopART gives the output.
  TensorId getStashedTensorId() const;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool isOutlineable() const override { return false; }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;

 private:
  int64_t stashSize_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
