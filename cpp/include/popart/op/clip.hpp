// Values limited to a range. After popart/op/clip.hpp of PopART 3.
#ifndef popart_op_clip_hpp
#define popart_op_clip_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/elementwise.hpp>

#include <memory>
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
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  void setClipMin(float value);
  float getClipMin() const { return min_; }
  void setClipMax(float value);
  float getClipMax() const { return max_; }

 private:
  float min_, max_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
