// Bases of convolutions. After popart/op/convbase.hpp of PopART 3.
#ifndef popart_op_convbase_hpp
#define popart_op_convbase_hpp

#include <popart/attributes.hpp>
#include <popart/names.hpp>
#include <popart/op/builtin.hpp>
#include <popart/op/receptive.hpp>
#include <popart/vendored/optional.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

using ConvDilations = std::vector<int64_t>;
using ConvPads = std::vector<int64_t>;
using ConvStrides = std::vector<int64_t>;
using ConvTruncs = std::vector<int64_t>;

/// A convolution as PopLibs describes it. Lists have a number for each spatial dimension.
struct ConvParameters {
  DataType type;
  int64_t batchSize;
  int64_t numInChannelsPerGroup;
  int64_t numOutChannelsPerGroup;
  int64_t numGroups;
  Shape inputShape;   // spatial
  Shape kernelShape;  // spatial

  /// What is done with an operand, in this order.
  struct Input {
    std::vector<int64_t> lowerTruncation;
    std::vector<int64_t> upperTruncation;
    std::vector<int64_t> dilation;
    std::vector<int64_t> lowerPadding;
    std::vector<int64_t> upperPadding;
    std::vector<bool> flip;
  } inputTransformation, kernelTransformation;

  struct Output {
    std::vector<int64_t> lowerTruncation;
    std::vector<int64_t> upperTruncation;
    std::vector<int64_t> stride;
    std::vector<int64_t> lowerPadding;
    std::vector<int64_t> upperPadding;
  } outputTransformation;
};

bool operator==(const ConvParameters::Input& a, const ConvParameters::Input& b);
bool operator==(const ConvParameters::Output& a, const ConvParameters::Output& b);
bool operator==(const ConvParameters& a, const ConvParameters& b);
inline bool operator!=(const ConvParameters::Input& a, const ConvParameters::Input& b) {
  return !(a == b);
}
inline bool operator!=(const ConvParameters::Output& a, const ConvParameters::Output& b) {
  return !(a == b);
}
inline bool operator!=(const ConvParameters& a, const ConvParameters& b) { return !(a == b); }
std::ostream& operator<<(std::ostream& os, const ConvParameters::Input& x);
std::ostream& operator<<(std::ostream& os, const ConvParameters::Output& x);
std::ostream& operator<<(std::ostream& os, const ConvParameters& x);

/// Options per convolution. Each list has one entry per convolution, or is empty.
class MultiConvOptions {
 public:
  /// Reads the attributes of a node. `sessionConvOptions` are the defaults.
  MultiConvOptions(const std::map<std::string, std::string> sessionConvOptions,
                   const Attributes& attributes);

  std::vector<float> availableMemoryProportions;
  std::vector<std::string> partialsTypes;
  std::vector<int64_t> enableConvDithering;
  nonstd::optional<std::string> planType;
  nonstd::optional<int> perConvReservedTiles;
  nonstd::optional<float> cycleBackOff;

  /// The defaults, with what one convolution has of its own, by PopLibs' names.
  std::map<std::string, std::string> getConvOptions(int convIndex) const;
  const std::map<std::string, std::string>& getGlobalOptions() const { return global_; }

 private:
  std::map<std::string, std::string> global_;
};

/// Base of one or more convolutions, each with the data [batch, channels, spatial...] as input 2i and
/// the weights [channels out, channels / groups, window...] as input 2i + 1. The flat lists have the
/// numbers of the first convolution, then those of the second, and so on; of pads for each first all
/// in front, then all behind. An empty list stands for zeros, and for ones of strides and dilations.
class MultiConvBaseOp : public Op {
 public:
  MultiConvBaseOp(const OperatorIdentifier& opid, const Op::Settings& settings,
                  std::vector<int64_t> flatStrides, std::vector<int64_t> flatPads,
                  std::vector<int64_t> flatDilations, const AutoPad& padType,
                  const MultiConvOptions& options);
  ~MultiConvBaseOp() override;

  std::unique_ptr<Op> clone() const override;
  /// \throws error for lists whose lengths do not fit the spatial dimensions
  void setup() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  static void appendConvParameterAttributes(const ConvParameters& parameters,
                                            const std::string& suffix, OpSerialiserBase& os);
  float getSubgraphValue() const final { return getHighSubgraphValue(); }

  static InIndex getDataInIndex(int convIndex) { return 2 * convIndex; }
  static InIndex getWeightsInIndex(int convIndex) { return 2 * convIndex + 1; }
  static OutIndex getOutIndex(int convIndex) { return convIndex; }
  static int getConvIndexFromInIndex(InIndex index) { return index / 2; }
  virtual int numConvs() const { return static_cast<int>(inTensorCount() / 2); }

  int64_t getNSpatialDims(int convIndex) const { return inRank(getDataInIndex(convIndex)) - 2; }
  Shape getSpatialD(int convIndex) const;
  Shape getSpatialK(int convIndex) const;
  int64_t getGroups(int convIndex) const;
  int64_t getNOutChans(int convIndex) const { return inShape(getWeightsInIndex(convIndex))[0]; }
  int64_t getNInChans(int convIndex) const { return inShape(getDataInIndex(convIndex))[1]; }
  /// The shape of an output for given pads.
  Shape getOutShape(int convIndex, const ConvPads& pads) const;

  ConvParameters getParameters(int convIndex) const;
  /// Takes all but types and sizes, which the inputs have.
  /// \throws error for flips, and for paddings of a kernel, which are not there
  virtual void restoreAttributesFromParams(const std::vector<ConvParameters>& parameters);
  /// Takes the parameters of the gradient of data.
  virtual void setParamsFromDataGradOp(const Op* dataGradOp);

  ConvStrides getStrides(int64_t convIndex) const;
  ConvDilations getDilations(int64_t convIndex) const;
  ConvDilations getInDilations(int64_t convIndex) const;
  ConvPads getPads(int64_t convIndex) const;
  ConvPads getOutPads(int64_t convIndex) const;
  Shape lowerPads(int convIndex) const;
  Shape upperPads(int convIndex) const;
  Shape lowerOutPads(int convIndex) const;
  Shape upperOutPads(int convIndex) const;
  Shape lowerKernTruncs(int64_t convIndex) const;
  Shape upperKernTruncs(int64_t convIndex) const;
  Shape lowerInTruncs(int64_t convIndex) const;
  Shape upperInTruncs(int64_t convIndex) const;
  Shape lowerOutTruncs(int64_t convIndex) const;
  Shape upperOutTruncs(int64_t convIndex) const;
  /// The spatial dimensions of all convolutions before one.
  int64_t getCumulativeSpatialDims(int64_t convIndex) const;

  const MultiConvOptions& getConvOptions() const { return options_; }
  void setConvOptions(const MultiConvOptions& options) { options_ = options; }

  /// For popir itself: strides, pads, dilations and auto_pad as ONNX's attributes.
  /// \throws error for truncations, dilations of the input and paddings of the output, which ONNX's
  /// operators do not have
  Attributes nodeAttributes() const;

 private:
  /// The numbers of one convolution in a flat list that has `each` for a spatial dimension.
  std::vector<int64_t> part(const std::vector<int64_t>& flat, int64_t convIndex, int64_t each,
                            int64_t missing) const;
  Shape half(const std::vector<int64_t>& flat, int64_t convIndex, bool upper) const;

  ConvStrides strides_;
  ConvPads pads_, outPads_;
  ConvDilations dilations_, inDilations_;
  ConvTruncs kernTruncs_, inTruncs_, outTruncs_;
  MultiConvOptions options_;
  AutoPad padType_;
};

/// Base of gradients of weights, of the outputs' gradients (inputs 2i) and the data (inputs 2i + 1).
class MultiConvWeightsGradBaseOp : public Op {
 public:
  MultiConvWeightsGradBaseOp(const MultiConvBaseOp& op, const OperatorIdentifier& opid);
  ~MultiConvWeightsGradBaseOp() override;

  static InIndex getGradConvolvedInIndex(int convIndex) { return 2 * convIndex; }
  static InIndex getPreConvolvedInIndex(int convIndex) { return 2 * convIndex + 1; }
  static OutIndex getOutIndex(int convIndex) { return convIndex; }
  std::unique_ptr<Op> clone() const override;
  void setup() final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  const std::vector<GradInOutMapper>& gradInputInfo() const final { return inputs_; }
  const std::map<int, int>& gradOutToNonGradIn() const final { return outputs_; }
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
  virtual int numConvs() const { return static_cast<int>(inTensorCount() / 2); }
  /// Of the forward convolution.
  const ConvParameters& getParameters(int convIndex) const;
  const MultiConvOptions& getConvOptions() const { return options_; }

 private:
  std::vector<GradInOutMapper> inputs_;
  std::map<int, int> outputs_;
  std::vector<TensorInfo> infos_;
  std::vector<ConvParameters> parameters_;
  MultiConvOptions options_;
};

/// Base of gradients of data, of the weights (inputs 2i) and the outputs' gradients (inputs 2i + 1).
class MultiConvDataGradBaseOp : public Op {
 public:
  MultiConvDataGradBaseOp(const MultiConvBaseOp& op, const OperatorIdentifier& opid);
  ~MultiConvDataGradBaseOp() override;

  static InIndex getWeightsInIndex(int convIndex) { return 2 * convIndex; }
  static InIndex getGradConvolvedInIndex(int convIndex) { return 2 * convIndex + 1; }
  static OutIndex getOutIndex(int convIndex) { return convIndex; }
  std::unique_ptr<Op> clone() const override;
  void setup() final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  const std::vector<GradInOutMapper>& gradInputInfo() const final { return inputs_; }
  const std::map<int, int>& gradOutToNonGradIn() const final { return outputs_; }
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
  virtual int numConvs() const { return static_cast<int>(inTensorCount() / 2); }
  /// The convolution of the outputs' gradients with flipped weights that this gradient is.
  const ConvParameters& getParameters(int convIndex) const;
  const MultiConvOptions& getConvOptions() const { return options_; }
  void setConvOptions(const MultiConvOptions& options) { options_ = options; }
  TensorInfo getDataInfo(int convIndex) const;

 private:
  std::vector<GradInOutMapper> inputs_;
  std::map<int, int> outputs_;
  std::vector<TensorInfo> infos_;
  std::vector<ConvParameters> parameters_;
  MultiConvOptions options_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
