// Copies between the tiles that compute and those for input and output. After popart/op/iotilecopy.hpp of PopART 3.
#ifndef popart_op_iotilecopy_hpp
#define popart_op_iotilecopy_hpp

#include <popart/op.hpp>

#include <memory>
#include <set>

#pragma GCC visibility push(default)

namespace popart {

/// The operator's tile set is where the output is; the input is on the other one.
class IoTileCopyOp : public Op {
 public:
  using Op::Op;
  IoTileCopyOp(const IoTileCopyOp&) = default;
  ~IoTileCopyOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { outInfo(getOutIndex()) = inInfo(getInIndex()); }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
  using Op::getIntrospectionInVirtualGraphId;
  VGraphIdAndTileSet getIntrospectionInVirtualGraphId(InIndex index,
                                                      std::set<OpId>& visited) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
