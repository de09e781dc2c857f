// Regions of an image, sampled. After popart/op/roialign.hpp of PopART 3.
#ifndef popart_op_roialign_hpp
#define popart_op_roialign_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class RoiAlignOp : public Op {
 public:
  RoiAlignOp(const OperatorIdentifier& opid, const Op::Settings& settings, float spatialScale,
             unsigned samplingRatio, unsigned alignedHeight, unsigned alignedWidth)
      : Op(opid, settings),
        spatialScale_(spatialScale),
        samplingRatio_(samplingRatio),
        alignedHeight_(alignedHeight),
        alignedWidth_(alignedWidth) {}
  ~RoiAlignOp() override;

  static InIndex getInIndex() { return 0; }
  static InIndex getRoisInIndex() { return 1; }
  static InIndex getBatchIndicesInIndex() { return 2; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  void setup() override { builtin::setup(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  float getSpatialScale() const { return spatialScale_; }
  unsigned getSamplingRatio() const { return samplingRatio_; }
  unsigned getAlignedHeight() const { return alignedHeight_; }
  unsigned getAlignedWidth() const { return alignedWidth_; }

 private:
  float spatialScale_;
  unsigned samplingRatio_;
  unsigned alignedHeight_;
  unsigned alignedWidth_;
};

/// Its gradient, of that of the result, the regions, their images and the input.
class RoiAlignGradOp : public builtin::GradOp {
 public:
  explicit RoiAlignGradOp(const RoiAlignOp& fwdOp);
  ~RoiAlignGradOp() override;

  std::unique_ptr<Op> clone() const final;
  float getSpatialScale() const { return spatialScale_; }
  uint64_t getSamplingRatio() const { return samplingRatio_; }
  uint64_t getAlignedHeight() const { return alignedHeight_; }
  uint64_t getAlignedWidth() const { return alignedWidth_; }

 private:
  float spatialScale_;
  uint64_t samplingRatio_, alignedHeight_, alignedWidth_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
