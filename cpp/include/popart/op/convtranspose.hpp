// Transposed convolution. After popart/op/convtranspose.hpp of PopART 3.
#ifndef popart_op_convtranspose_hpp
#define popart_op_convtranspose_hpp

#include <popart/op/convbase.hpp>

#include <memory>
#include <set>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// ONNX's ConvTranspose: the data [batch, channels in, spatial...], the weights [channels in,
/// channels out / group, window...] and, of the compiler's, a bias. On data and weights of 8 bits
/// input 2 is the logarithm of a scale instead (isPow2ScaledConvTranspose()), and the output FLOAT16.
class ConvTransposeOp : public Op {
 public:
  ConvTransposeOp(const OperatorIdentifier& opid, const Settings& settings,
                  std::vector<int64_t> strides, std::vector<int64_t> pads,
                  std::vector<int64_t> dilations, int64_t group, const AutoPad& padType,
                  std::vector<int64_t> outputPadding, Shape outputShape,
                  const MultiConvOptions& options);
  ~ConvTransposeOp() override;

  static InIndex getInIndex() { return 0; }
  static InIndex getWeightsInIndex() { return 1; }
  static InIndex getLog2ScaleInIndex() { return 2; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  /// Sets `params` too.
  /// \throws error for channels that do not fit the group, for lists whose lengths do not fit the
  /// spatial dimensions, and for types that do not go together
  void setup() final;
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  bool isPow2ScaledConvTranspose() const;
  std::set<InIndex> optionalInputs() const override { return {getLog2ScaleInIndex()}; }

  /// For popir itself: the attributes of the node.
  Attributes nodeAttributes() const;

  std::vector<int64_t> strides, dilations;
  int64_t group;
  const AutoPad padType;
  const MultiConvOptions convOpts;
  /// The convolution that this is: of the data, with zeros between its elements, and the weights,
  /// flipped and with their channels exchanged.
  ConvParameters params;

 private:
  std::vector<int64_t> pads_, outputPadding_, outputShape_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
