// Values that a stage of a pipeline takes from a stash. After popart/op/restore.hpp of PopART 3.
#ifndef popart_op_restore_hpp
#define popart_op_restore_hpp

#include <popart/op.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

/// Reads the next of the places of a StashOp's output.
class RestoreOp : public Op {
 public:
  RestoreOp(const OperatorIdentifier& opid, int64_t stashSize, const Op::Settings& settings)
      : Op(opid, settings), stashSize_(stashSize) {}
  ~RestoreOp() override;

  static InIndex getStashInIndex() { return 0; }
  static OutIndex getRestoredActOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  int64_t getStashSize() const { return stashSize_; }
  /// The id that PopART gives the output.
  TensorId getRestoredTensorId() const;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool isOutlineable() const override { return false; }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;

 private:
  int64_t stashSize_;
};

/// Writes what it reads over the tensor that was stashed, its input 1. The compiler has no such
/// operator: it makes RestoreOps.
class RestoreInplaceOp : public RestoreOp {
 public:
  using RestoreOp::RestoreOp;
  ~RestoreInplaceOp() override;

  static InIndex getActToRestoreInIndex() { return 1; }
  std::unique_ptr<Op> clone() const override;
  view::Regions modifies(InIndex index) const override { return aliases(index, 0); }
  view::Regions aliases(InIndex in, OutIndex) const override;

  bool requiredForRecompute = false;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
