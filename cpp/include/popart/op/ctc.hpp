// The loss of connectionist temporal classification. After popart/op/ctc.hpp of PopART 3.
#ifndef popart_op_ctc_hpp
#define popart_op_ctc_hpp

#include <popart/op/loss.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class CtcOp : public LossOp {
 public:
  /// With `enableReducedClassesInLabel` labels are taken as they are, without a class to pad with.
  /// \throws error for it: the compiler's operator does not have it
  CtcOp(const OperatorIdentifier& opid, ReductionType reduction, unsigned blank, bool zeroInfinity,
        const Op::Settings& settings, bool enableReducedClassesInLabel = false,
        DataType outDataType = DataType::UNDEFINED);
  ~CtcOp() override;

  static InIndex getLogProbsInIndex() { return 0; }
  static InIndex getTargetsInIndex() { return 1; }
  static InIndex getInputLengthsInIndex() { return 2; }
  static InIndex getTargetLengthsInIndex() { return 3; }
  static OutIndex getCtcLossOutIndex() { return 0; }
  static OutIndex getLogProbsGradientWrtCtcLossOutIndex() { return 1; }
  std::unique_ptr<Op> clone() const override;
  void setup() override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getHighSubgraphValue(); }
  unsigned getBlank() const { return blank_; }
  bool getZeroInfinity() const { return zeroInfinity_; }
  unsigned getMaxInputLength() const { return dim(getLogProbsInIndex(), 0); }
  unsigned getBatchSize() const { return dim(getLogProbsInIndex(), 1); }
  unsigned getNumClasses() const { return dim(getLogProbsInIndex(), 2); }
  unsigned getMaxTargetLength() const { return dim(getTargetsInIndex(), 1); }
  bool getEnableReducedClassesInLabel() const { return false; }
  /// The type of the losses, UNDEFINED for that of the probabilities.
  DataType getOutDataType() const { return outDataType_; }

 private:
  unsigned dim(InIndex in, int d) const { return static_cast<unsigned>(inInfo(in).dim(d)); }

  unsigned blank_;
  bool zeroInfinity_;
  DataType outDataType_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
