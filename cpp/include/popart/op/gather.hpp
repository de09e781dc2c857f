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

/// As ONNX's Gather: the output has the indices' shape in place of the axis. With several groups,
/// the first dimension of data and indices is the group, and each group is gathered by itself. What
/// a class derives has this gradient too.
class GatherOp : public Op {
 public:
  /// `groupSize` is the number of groups. With `zeroOutOfRangeIndices`, indices that are negative
  /// or too large give zeros, known ones too. \throws error for a group size below 1.
  GatherOp(const OperatorIdentifier& opid, int64_t axis, int64_t groupSize,
           const Op::Settings& settings,
           const nonstd::optional<float>& availableMemoryProportion = nonstd::nullopt,
           bool zeroOutOfRangeIndices = false);
  /// Of one group, as SDK 2.2 to 3.1 have it.
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
  /// \throws error for an axis outside of the data, or of the groups; and for data or indices whose
  /// first dimension is not the number of groups, where there are several.
  void setup() final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  /// Whether it takes, from a dimension of one element, one element by a vector of indices.
  bool canBeReplacedByIdentity() const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  bool canShard() const override { return true; }
  /// Counted from the front, once the input is known.
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

/// The gradient with respect to the data: zeros, and each slice of the gradient added where the
/// indices took one. The compiler has a lowering for it.
class GatherGradOp : public Op {
 public:
  /// `op` is connected; `axis` counts from the front, as GatherOp::getAxis() does.
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
