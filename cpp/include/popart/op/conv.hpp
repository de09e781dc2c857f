// Convolution. After popart/op/conv.hpp of PopART 3.
#ifndef popart_op_conv_hpp
#define popart_op_conv_hpp

#include <popart/op/convbase.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// ONNX's Conv: the data, the weights and, of the compiler's, a bias. On data and weights of 8 bits
/// input 2 is the logarithm of a scale instead (isPow2ScaledConv()), and the output FLOAT16.
class ConvOp : public MultiConvBaseOp {
 public:
  ConvOp(const OperatorIdentifier& opid, const Settings& settings, std::vector<int64_t> strides,
         std::vector<int64_t> pads, std::vector<int64_t> dilations, int64_t group,
         const AutoPad& padType, const MultiConvOptions& options);
  ~ConvOp() override;

  static InIndex getDataInIndex() { return MultiConvBaseOp::getDataInIndex(0); }
  static InIndex getWeightsInIndex() { return MultiConvBaseOp::getWeightsInIndex(0); }
  static InIndex getLog2ScaleInIndex() { return getWeightsInIndex() + 1; }
  static OutIndex getOutIndex() { return MultiConvBaseOp::getOutIndex(0); }
  std::unique_ptr<Op> clone() const final;
  std::vector<std::unique_ptr<Op>> getGradOps() final { builtin::refuseGradient(*this); }
  /// \throws error for channels that do not fit the group, and for types that do not go together
  void setup() final;
  int numConvs() const final { return 1; }
  int64_t getGroups() const { return MultiConvBaseOp::getGroups(0); }
  void setGroup() { group_ = getGroups(); }
  int64_t getNInChans() const { return MultiConvBaseOp::getNInChans(0); }
  int64_t getNOutChans() const { return MultiConvBaseOp::getNOutChans(0); }
  ConvParameters getParameters() const { return MultiConvBaseOp::getParameters(0); }
  /// The compiler's operator takes them with the next setup().
  void restoreAttributesFromParams(const std::vector<ConvParameters>& parameters) override;
  bool isPow2ScaledConv() const;
  std::set<InIndex> optionalInputs() const override { return {getLog2ScaleInIndex()}; }
  /// The group that the constructor was given.
  int64_t givenGroup() const { return group_; }

 private:
  int64_t group_;
};

/// Weights for the transpose of a convolution: flipped in all spatial dimensions, and with the
/// channels in and out of each group exchanged. The compiler has no such operator: a library's own
/// class derives from this one, and its lowering from ConvFlipWeightsGradOpx.
class ConvFlipWeightsOp : public Op {
 public:
  ConvFlipWeightsOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ConvFlipWeightsOp(const ConvFlipWeightsOp&) = default;
  ~ConvFlipWeightsOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  /// The flip of the gradient.
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  /// [out, in / g, window...] becomes [in, out / g, window...], g the groups of the parameters, or
  /// 1 without setGroupReshape().
  void setup() final;
  const ConvParameters& getParameters() const { return parameters_; }
  void setParameters(const ConvParameters& parameters) { parameters_ = parameters; }
  bool getGroupReshape() const { return groupReshape_; }
  void setGroupReshape(bool reshape) { groupReshape_ = reshape; }
  int64_t getGroups() const;
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  void appendOutlineAttributes(OpSerialiserBase& os) const final;
  void setConvOptions(const MultiConvOptions& options) { options_ = options; }
  const MultiConvOptions& getMultiConvOptions() const { return options_; }
  std::map<std::string, std::string> getConvOptions() const { return options_.getConvOptions(0); }

 private:
  bool groupReshape_ = false;
  ConvParameters parameters_;
  MultiConvOptions options_;
};

/// The gradient of a flip, which is a flip.
class ConvFlipWeightsGradOp : public ConvFlipWeightsOp {
 public:
  explicit ConvFlipWeightsGradOp(const ConvFlipWeightsOp& op);
  ~ConvFlipWeightsGradOp() override;
  std::unique_ptr<Op> clone() const final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final;
  const std::map<int, int>& gradOutToNonGradIn() const final;
};

/// The gradient of the weights.
class ConvWeightsGradOp : public MultiConvWeightsGradBaseOp {
 public:
  explicit ConvWeightsGradOp(const ConvOp& op);
  ~ConvWeightsGradOp() override;

  static InIndex getGradConvolvedInIndex() { return 0; }
  static InIndex getPreConvolvedInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;
  int numConvs() const final { return 1; }
  const ConvParameters& getParameters() const {
    return MultiConvWeightsGradBaseOp::getParameters(0);
  }
};

/// The gradient of the data.
class ConvDataGradOp : public MultiConvDataGradBaseOp {
 public:
  explicit ConvDataGradOp(const ConvOp& op);
  ~ConvDataGradOp() override;

  static InIndex getWeightsInIndex() { return 0; }
  static InIndex getGradConvolvedInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;
  int numConvs() const override { return 1; }
  const ConvParameters& getParameters() const { return MultiConvDataGradBaseOp::getParameters(0); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
