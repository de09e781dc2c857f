// Images, scaled and shifted, with a fourth channel. After popart/op/normalize_image.hpp of PopART 3.
#ifndef popart_op_normalize_image_hpp
#define popart_op_normalize_image_hpp

#include <popart/op/builtin.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class NormalizeImageOp : public Op {
 public:
  NormalizeImageOp(const OperatorIdentifier& opid, const Op::Settings& settings, float scale)
      : Op(opid, settings), scale_(scale) {}
  ~NormalizeImageOp() override;

  static InIndex getImageInIndex() { return 0; }
  static InIndex getOffsetsInIndex() { return 1; }
  static InIndex getScalesInIndex() { return 2; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  float getScale() const { return scale_; }

 private:
  float scale_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
