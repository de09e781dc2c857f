// Values limited to a range. After popart/op/clip.hpp of PopART 3.
#ifndef popart_op_clip_hpp
#define popart_op_clip_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// max(min, min(max, x)). In opset 11 the bounds are inputs 1 and 2.
class ClipOp : public ElementWiseUnaryOp {
 public:
  ClipOp(const OperatorIdentifier& opid, float min, float max, const Op::Settings& settings)
      : ElementWiseUnaryOp(opid, settings), min_(min), max_(max) {}
  ~ClipOp() override;

  static InIndex clip11MinInputIndex() { return 1; }
  static InIndex clip11MaxInputIndex() { return 2; }
  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  void setClipMin(float value);
  float getClipMin() const { return min_; }
  void setClipMax(float value);
  float getClipMax() const { return max_; }

 private:
  float min_, max_;
};

/// Its gradient: g where the result is between the bounds, else 0.
class ClipGradOp : public ClipOp, public builtin::Origin {
 public:
  explicit ClipGradOp(const ClipOp& fwdOp);
  ~ClipGradOp() override;

  static InIndex getGradClippedInIndex() { return 0; }
  static InIndex getClippedInIndex() { return 1; }
  std::unique_ptr<Op> clone() const final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final;
  const std::map<int, int>& gradOutToNonGradIn() const final { return builtin::ofInput; }
  std::vector<std::unique_ptr<Op>> getGradOps() final { builtin::refuseGradient(*this); }
};

/// Its variant in place.
class ClipInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit ClipInplaceOp(const ClipOp& op);
  ~ClipInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getClipMin() const { return min_; }
  float getClipMax() const { return max_; }

 private:
  float min_, max_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
