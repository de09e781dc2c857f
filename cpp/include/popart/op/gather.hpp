// popart/op/gather.hpp: slices of a tensor by an index.
#ifndef popart_op_gather_hpp
#define popart_op_gather_hpp

#include <popart/op/builtin.hpp>
#include <popart/vendored/optional.hpp>

#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// As ONNX's Gather: the output has the indices' shape in place of the axis. Groups other than 1
/// are not there.
class GatherOp : public Op {
 public:
  /// \throws error for a group size other than 1.
  GatherOp(const OperatorIdentifier& opid, int64_t axis, int64_t groupSize,
           const Op::Settings& settings,
           const nonstd::optional<float>& availableMemoryProportion = nonstd::nullopt,
           bool zeroOutOfRangeIndices = false);
  ~GatherOp() override;

  static InIndex dataInIndex() { return 0; }
  static InIndex indicesInIndex() { return 1; }
  static OutIndex outIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void setup() final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  bool canBeReplacedByIdentity() const override { return false; }
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
  /// Counted from the front, once the input is known.
  int64_t getAxis() const { return axis_; }
  int64_t getGroupSize() const { return 1; }
  nonstd::optional<float> getAvailableMemoryProportion() const { return memory_; }
  void setAvailableMemoryProportion(const nonstd::optional<float> v) { memory_ = v; }
  bool zeroOutOfRangeIndices() const { return zeroOutOfRange_; }

 private:
  int64_t axis_;
  nonstd::optional<float> memory_;
  bool zeroOutOfRange_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
