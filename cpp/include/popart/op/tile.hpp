// Repeats of a tensor along its dimensions. After popart/op/tile.hpp of PopART 3.
#ifndef popart_op_tile_hpp
#define popart_op_tile_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class TileOp : public Op {
 public:
  using Op::Op;
  ~TileOp() override;

  static InIndex getInIndex() { return 0; }
  static InIndex getRepeatsInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { builtin::setup(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  /// The constant at the second input; empty before it is connected.
  std::vector<int64_t> getRepeats() const;
  const Shape& getOutShape() { return outShape(getOutIndex()); }
  bool canBeReplacedByIdentity() const override;
};

/// Its gradient: the sum over the repetitions.
class TileGradOp : public TileOp, public builtin::Origin {
 public:
  explicit TileGradOp(const TileOp& fwdOp);
  ~TileGradOp() override;

  std::unique_ptr<Op> clone() const final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final { return builtin::ofResult; }
  const std::map<int, int>& gradOutToNonGradIn() const final { return builtin::ofInput; }
  std::vector<std::unique_ptr<Op>> getGradOps() final { builtin::refuseGradient(*this); }
  void setup() final { outInfo(getOutIndex()) = forwardInput(*this, getInIndex()); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
