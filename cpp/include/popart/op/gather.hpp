// Gather. After popart/op/gather.hpp of PopART 3.
#ifndef popart_op_gather_hpp
#define popart_op_gather_hpp

#include <popart/op/builtin.hpp>
#include <popart/vendored/optional.hpp>

#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// ONNX's Gather: in the output, the shape of the indices replaces the axis. With several groups,
/// the first dimension of data and indices is the group, and each group is gathered separately.
/// Derived classes inherit the gradient.
class GatherOp : public Op {
 public:
  /// `groupSize` is the number of groups. With `zeroOutOfRangeIndices`, indices below 0 or too
  /// large give zeros, also if they are constant.
  /// \throws error if groupSize < 1
  GatherOp(const OperatorIdentifier& opid, int64_t axis, int64_t groupSize,
           const Op::Settings& settings,
           const nonstd::optional<float>& availableMemoryProportion = nonstd::nullopt,
           bool zeroOutOfRangeIndices = false);
  /// The constructor of SDK 2.2 to 3.1, with one group.
  GatherOp(const OperatorIdentifier& opid, int64_t axis, const Op::Settings& settings,
           const nonstd::optional<float>& availableMemoryProportion = nonstd::nullopt,
           bool zeroOutOfRangeIndices = false)
      : GatherOp(opid, axis, 1, settings, availableMemoryProportion, zeroOutOfRangeIndices) {}
  ~GatherOp() override;

  static InIndex dataInIndex() { return 0; }
  static InIndex indicesInIndex() { return 1; }
  static OutIndex outIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  /// \throws error if the axis is outside of the data or is the group dimension, or, with several
  /// groups, if the first dimension of data or indices is not the number of groups
  void setup() final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  /// True if it gathers one element from a dimension of size 1 with a vector of indices.
  bool canBeReplacedByIdentity() const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
  /// The axis, non-negative once the input is known.
  int64_t getAxis() const { return axis_; }
  int64_t getGroupSize() const { return groups_; }
  nonstd::optional<float> getAvailableMemoryProportion() const { return memory_; }
  void setAvailableMemoryProportion(const nonstd::optional<float> v) { memory_ = v; }
  bool zeroOutOfRangeIndices() const { return zeroOutOfRange_; }

 private:
  int64_t axis_, groups_;
  nonstd::optional<float> memory_;
  bool zeroOutOfRange_;
};

/// The gradient of the data: zeros, to which each slice of the gradient is added at the position
/// from which it was gathered (scatter-add). The compiler has a lowering for it.
class GatherGradOp : public Op {
 public:
  /// `op` must be connected. `axis` is non-negative, as returned by GatherOp::getAxis().
  GatherGradOp(const GatherOp& op, int64_t axis, int64_t groupSize = 1);
  ~GatherGradOp() override;

  static InIndex gradInIndex() { return 0; }
  static InIndex indicesInIndex() { return 1; }
  static OutIndex gradOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() final { outInfo(gradOutIndex()) = data_; }
  const std::vector<GradInOutMapper>& gradInputInfo() const final;
  const std::map<int, int>& gradOutToNonGradIn() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
  int64_t getAxis() const { return axis_; }
  int64_t getGroupSize() const { return groups_; }
  nonstd::optional<float> getAvailableMemoryProportion() const { return memory_; }
  void setAvailableMemoryProportion(const nonstd::optional<float> v) { memory_ = v; }

 private:
  int64_t axis_, groups_;
  TensorInfo data_;
  nonstd::optional<float> memory_;
  bool zeroOutOfRange_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
