// A synchronization. After popart/op/sync.hpp of PopART 3.
#ifndef popart_op_sync_hpp
#define popart_op_sync_hpp

#include <popart/op.hpp>
#include <poplar/SyncType.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// A synchronization of tiles, between operators that nothing else puts in order. It has no inputs, no
/// outputs, and no effect on results.
class SyncOp : public Op {
 public:
  SyncOp(const Op::Settings& settings, poplar::SyncType syncType);
  ~SyncOp() override;

  std::unique_ptr<Op> clone() const override;
  const poplar::SyncType& getSyncType() const { return type_; }
  void setup() final {}
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  bool hasSideEffect() const override { return true; }

 private:
  poplar::SyncType type_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
