// Dropout. After popart/op/dropout.hpp of PopART 3.
#ifndef popart_op_dropout_hpp
#define popart_op_dropout_hpp

#include <popart/op/dropoutbase.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// Output 1 is the mask.
class DropoutOp : public DropoutBaseOp {
 public:
  using DropoutBaseOp::DropoutBaseOp;
  ~DropoutOp() override;

  static OutIndex getMaskOutIndex() { return 1; }
  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void setup() override;
  /// The tensor to whose shape poprand makes the mask: the input. A mask depends on the seed and the
  /// position of an element, and not on a layout, so those of the two passes are the same.
  TensorId getReferenceTensorId() const { return inId(getInIndex()); }
  /// Not where its mask is asked for.
  bool canBeReplacedByIdentity() const override {
    return !hasOutput(getMaskOutIndex()) && DropoutBaseOp::canBeReplacedByIdentity();
  }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
};

/// The gradient of dropout's input, by the same mask.
class DropoutGradOp : public DropoutOp {
 public:
  using DropoutOp::DropoutOp;
  ~DropoutGradOp() override;

  static InIndex getGradInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { outInfo(getOutIndex()) = inInfo(getGradInIndex()); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
