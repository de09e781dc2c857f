// The most probable labels of a sequence. After popart/op/ctcbeamsearch.hpp of PopART 3.
#ifndef popart_op_ctcbeamsearch_hpp
#define popart_op_ctcbeamsearch_hpp

#include <popart/op/builtin.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class CtcBeamSearchDecoderOp : public Op {
 public:
  CtcBeamSearchDecoderOp(const OperatorIdentifier& opid, unsigned blankClass, unsigned beamWidth,
                         unsigned topPaths, const Op::Settings& settings)
      : Op(opid, settings), blankClass_(blankClass), beamWidth_(beamWidth), topPaths_(topPaths) {}
  ~CtcBeamSearchDecoderOp() override;

  static InIndex getLogProbsInIndex() { return 0; }
  static InIndex getDataLengthsInIndex() { return 1; }
  static OutIndex getLabelProbsOutIndex() { return 0; }
  static OutIndex getLabelLengthsOutIndex() { return 1; }
  static OutIndex getDecodedLabelsOutIndex() { return 2; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getLowSubgraphValue(); }
  unsigned getBlankClass() const { return blankClass_; }
  unsigned getBeamWidth() const { return beamWidth_; }
  unsigned getTopPaths() const { return topPaths_; }
  unsigned getMaxTime() const { return static_cast<unsigned>(inInfo(getLogProbsInIndex()).dim(0)); }
  unsigned getBatchSize() const {
    return static_cast<unsigned>(inInfo(getLogProbsInIndex()).dim(1));
  }
  unsigned getNumClasses() const {
    return static_cast<unsigned>(inInfo(getLogProbsInIndex()).dim(2));
  }

 private:
  unsigned blankClass_;
  unsigned beamWidth_;
  unsigned topPaths_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
