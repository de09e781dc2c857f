// Classes of operators that models have, whose shapes and gradients are the compiler's.
#include <popart/op/abort.hpp>
#include <popart/op/argextrema.hpp>
#include <popart/op/argmax.hpp>
#include <popart/op/argmin.hpp>
#include <popart/op/basesort.hpp>
#include <popart/op/bitwise.hpp>
#include <popart/op/bucketize.hpp>
#include <popart/op/ctc.hpp>
#include <popart/op/ctcbeamsearch.hpp>
#include <popart/op/cumsum.hpp>
#include <popart/op/expand.hpp>
#include <popart/op/instancenorm.hpp>
#include <popart/op/logsoftmax.hpp>
#include <popart/op/nop.hpp>
#include <popart/op/normalize_image.hpp>
#include <popart/op/onehot.hpp>
#include <popart/op/prelu.hpp>
#include <popart/op/randomnormal.hpp>
#include <popart/op/randomuniform.hpp>
#include <popart/op/reducemedian.hpp>
#include <popart/op/reverse.hpp>
#include <popart/op/scatter.hpp>
#include <popart/op/sequenceslice.hpp>
#include <popart/op/shapeddropout.hpp>
#include <popart/op/shapeorlike.hpp>
#include <popart/op/sort.hpp>
#include <popart/op/splinebasis.hpp>
#include <popart/op/splineweighting.hpp>
#include <popart/op/split.hpp>
#include <popart/op/subsample.hpp>
#include <popart/op/tensorremap.hpp>
#include <popart/op/tile.hpp>
#include <popart/op/topk.hpp>
#include <popart/op/upsample.hpp>
#include <popart/op/where.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>

#include <algorithm>

#include "popart/op/constant_input.hpp"
#include "popart/op/copy_of.hpp"

namespace popart {
BaseSortOp::~BaseSortOp() = default;
void BaseSortOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("axis", axis_);
}

TopKOp::~TopKOp() = default;
std::unique_ptr<Op> TopKOp::clone() const { return copyOf(*this); }
int64_t TopKOp::getK() const {
  const auto given = constantInput(*this, 1);
  return given && given->size() == 1 ? given->front() : k_;
}
void TopKOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  BaseSortOp::appendOutlineAttributes(os);
  os.appendAttribute("k", getK());
  os.appendAttribute("largest", largest_);
  os.appendAttribute("sorted", sorted_);
}

SortOp::~SortOp() = default;
std::unique_ptr<Op> SortOp::clone() const { return copyOf(*this); }
void SortOp::setup() {
  outInfo(getValuesOutIndex()) = inInfo(getInIndex());
  if (hasOutput(getIndicesOutIndex()))
    outInfo(getIndicesOutIndex()) = TensorInfo(DataType::INT32, inShape(getInIndex()));
}

ArgExtremaOp::~ArgExtremaOp() = default;
std::unique_ptr<Op> ArgExtremaOp::clone() const { return copyOf(*this); }
void ArgExtremaOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("axis", axis_);
  os.appendAttribute("keepdims", keepdims_);
}

ArgMaxOp::~ArgMaxOp() = default;
std::unique_ptr<Op> ArgMaxOp::clone() const { return copyOf(*this); }

ArgMinOp::~ArgMinOp() = default;
std::unique_ptr<Op> ArgMinOp::clone() const { return copyOf(*this); }

BucketizeOp::~BucketizeOp() = default;
std::unique_ptr<Op> BucketizeOp::clone() const { return copyOf(*this); }
void BucketizeOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("right", right_);
}
void BucketizeOp::setup() { outInfo(outIndex()) = TensorInfo(DataType::INT32, inShape(inIndex())); }

OnehotOp::~OnehotOp() = default;
std::unique_ptr<Op> OnehotOp::clone() const { return copyOf(*this); }
void OnehotOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("axis", axis_);
}
void OnehotOp::setup() {
  Shape shape = inShape(getIndicesInIndex());
  const auto depth = constantInput(*this, 1);
  const auto rank = static_cast<int64_t>(shape.size()) + 1;
  if (!depth || depth->size() != 1)
    throw error("{}: the depth, input 1, has to be one constant integer", debugName());
  if (axis_ < -rank || axis_ >= rank)
    throw error("{}: the axis is {}, and the output has {} dimensions", debugName(), axis_, rank);
  shape.insert(shape.begin() + (axis_ < 0 ? axis_ + rank : axis_), depth->front());
  outInfo(getOutIndex()) = TensorInfo(inInfo(getValuesInIndex()).dataType(), shape);
}

CumSumOp::~CumSumOp() = default;
std::unique_ptr<Op> CumSumOp::clone() const { return copyOf(*this); }
void CumSumOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("exclusive", exclusive_);
  os.appendAttribute("reverse", reverse_);
}
int64_t CumSumOp::getAxis() const {
  const auto given = constantInput(*this, axisInIndex());
  return given && given->size() == 1 ? given->front() : 0;
}

TileOp::~TileOp() = default;
std::unique_ptr<Op> TileOp::clone() const { return copyOf(*this); }
std::vector<int64_t> TileOp::getRepeats() const {
  return constantInput(*this, getRepeatsInIndex()).value_or(std::vector<int64_t>());
}
bool TileOp::canBeReplacedByIdentity() const {
  const std::vector<int64_t> repeats = getRepeats();
  return !repeats.empty() && repeats == std::vector<int64_t>(repeats.size(), 1);
}

ExpandOp::~ExpandOp() = default;
std::unique_ptr<Op> ExpandOp::clone() const { return copyOf(*this); }

WhereOp::~WhereOp() = default;
std::unique_ptr<Op> WhereOp::clone() const { return copyOf(*this); }

SplitOp::~SplitOp() = default;
std::unique_ptr<Op> SplitOp::clone() const { return copyOf(*this); }
void SplitOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("axis", axis_);
  os.appendAttribute("split", split_);
}
std::vector<int64_t> SplitOp::getSplitSizes() const {
  if (!split_.empty()) return split_;
  if (const auto given = constantInput(*this, 1)) return *given;
  std::vector<int64_t> sizes;
  for (const auto& out : output->tensorMap()) {
    const Shape& shape = out.second->info.shape();
    sizes.push_back(shape[static_cast<std::size_t>(
        axis_ < 0 ? axis_ + static_cast<int64_t>(shape.size()) : axis_)]);
  }
  return sizes;
}

ScatterOp::~ScatterOp() = default;
std::unique_ptr<Op> ScatterOp::clone() const { return copyOf(*this); }
void ScatterOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("axis", axis_);
}
void ScatterOp::setup() { outInfo(outIndex()) = inInfo(dataInIndex()); }

ReverseBaseOp::~ReverseBaseOp() = default;
ReverseOp::~ReverseOp() = default;
std::unique_ptr<Op> ReverseBaseOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> ReverseOp::clone() const { return copyOf(*this); }
void ReverseBaseOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("dimensions", dimensions_);
}
void ReverseBaseOp::setup() { outInfo(getOutIndex()) = inInfo(getInIndex()); }

SubsampleBaseOp::~SubsampleBaseOp() = default;
SubsampleOp::~SubsampleOp() = default;
std::unique_ptr<Op> SubsampleBaseOp::clone() const { return copyOf(*this); }
std::unique_ptr<Op> SubsampleOp::clone() const { return copyOf(*this); }
void SubsampleBaseOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("strides", strides);
}
void SubsampleBaseOp::setup() {
  Shape shape = inShape(getInIndex());
  if (strides.size() != shape.size())
    throw error("{}: the strides are {}, one for each dimension of {} is expected", debugName(),
                strides, shape);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (strides[d] < 1)
      throw error("{}: the strides are {}; expected are 1 or more", debugName(), strides);
    shape[d] = (shape[d] + strides[d] - 1) / strides[d];
  }
  outInfo(getOutIndex()) = TensorInfo(inInfo(getInIndex()).dataType(), shape);
}
bool SubsampleBaseOp::strideSizeOne() const {
  return strides == std::vector<int64_t>(strides.size(), 1);
}

SequenceSliceOp::~SequenceSliceOp() = default;
std::unique_ptr<Op> SequenceSliceOp::clone() const { return copyOf(*this); }
void SequenceSliceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("zeroUnused", zeroUnused_);
}
void SequenceSliceOp::setup() { outInfo(getOutIndex()) = inInfo(getDestinationInIndex()); }

TensorRemapOp::~TensorRemapOp() = default;
std::unique_ptr<Op> TensorRemapOp::clone() const { return copyOf(*this); }
void TensorRemapOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("remap_type", static_cast<int>(type_));
}

UpsampleOp::~UpsampleOp() = default;
void UpsampleOp::setup() {
  if (scales_.empty() && hasInput(1) && inTensor(1)->hasTensorData()) {
    const auto* given = static_cast<const float*>(inTensor(1)->tensorData()->data());
    scales_.assign(given, given + inInfo(1).nelms());
  }
  Shape shape = inShape(getInIndex());
  if (scales_.size() != shape.size())
    throw error("{}: the scales are {}, one for each dimension of {} is expected", debugName(),
                scales_, shape);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (!(scales_[d] >= 1))
      throw error("{}: the scales are {}; expected are 1 or more", debugName(), scales_);
    shape[d] = static_cast<int64_t>(static_cast<float>(shape[d]) * scales_[d]);
  }
  outInfo(getOutIndex()) = TensorInfo(inInfo(getInIndex()).dataType(), shape);
}
std::unique_ptr<Op> UpsampleOp::clone() const { return copyOf(*this); }
std::string toString(const UpsampleMode& mode) {
  return mode == UpsampleMode::Nearest ? "nearest" : "linear";
}
std::ostream& operator<<(std::ostream& os, const UpsampleMode& mode) {
  return os << toString(mode);
}
void UpsampleOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("mode", toString(mode_));
  os.appendAttribute("scales", scales_);
}

LogSoftmaxOp::~LogSoftmaxOp() = default;
std::unique_ptr<Op> LogSoftmaxOp::clone() const { return copyOf(*this); }
void LogSoftmaxOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseUnaryOp::appendOutlineAttributes(os);
  os.appendAttribute("axis", axis_);
}

PReluOp::~PReluOp() = default;
std::unique_ptr<Op> PReluOp::clone() const { return copyOf(*this); }

NopOp::~NopOp() = default;
std::unique_ptr<Op> NopOp::clone() const { return copyOf(*this); }

BitwiseNotOp::~BitwiseNotOp() = default;
std::unique_ptr<Op> BitwiseNotOp::clone() const { return copyOf(*this); }

BitwiseBinaryOp::~BitwiseBinaryOp() = default;
std::unique_ptr<Op> BitwiseBinaryOp::clone() const { return copyOf(*this); }

InstanceNormOp::~InstanceNormOp() = default;
std::unique_ptr<Op> InstanceNormOp::clone() const { return copyOf(*this); }
void InstanceNormOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("epsilon", epsilon_);
}
void InstanceNormOp::setup() { outInfo(getOutIndex()) = inInfo(getInputInIndex()); }

NormalizeImageOp::~NormalizeImageOp() = default;
std::unique_ptr<Op> NormalizeImageOp::clone() const { return copyOf(*this); }
void NormalizeImageOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("scale", scale_);
}
void NormalizeImageOp::setup() {
  const TensorInfo& image = inInfo(getImageInIndex());
  Shape shape = image.shape();
  if (shape.empty() || shape.back() != 3)
    throw error("{}: the image is {}; its last dimension has to be 3", debugName(), shape);
  shape.back() = 4;
  const bool isByte = image.dataType() == DataType::UINT8;
  outInfo(getOutIndex()) = TensorInfo(isByte ? DataType::FLOAT16 : image.dataType(), shape);
}

SplineBasisOp::~SplineBasisOp() = default;
std::unique_ptr<Op> SplineBasisOp::clone() const { return copyOf(*this); }
void SplineBasisOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("degree", degree_);
}
void SplineBasisOp::setup() {
  const TensorInfo& pseudo = inInfo(pseudoIndex());
  if (pseudo.rank() != 2)
    throw error("{}: the coordinates are {}; expected are [edges, dimensions]", debugName(),
                pseudo.shape());
  int64_t count = 1;
  for (int64_t d = 0; d < pseudo.dim(1); ++d) count *= degree_ + 1;
  outInfo(outBasisIndex()) = TensorInfo(pseudo.dataType(), {pseudo.dim(0), count});
  outInfo(outWeightIndexIndex()) = TensorInfo(DataType::INT32, {pseudo.dim(0), count});
}

SplineWeightingOp::~SplineWeightingOp() = default;
std::unique_ptr<Op> SplineWeightingOp::clone() const { return copyOf(*this); }
void SplineWeightingOp::setup() {
  const TensorInfo& in = inInfo(inputIndex());
  outInfo(outputIndex()) = TensorInfo(in.dataType(), {in.dim(0), inInfo(weightIndex()).dim(2)});
}

AbortOp::~AbortOp() = default;
std::unique_ptr<Op> AbortOp::clone() const { return copyOf(*this); }

ReduceMedianOp::~ReduceMedianOp() = default;
std::unique_ptr<Op> ReduceMedianOp::clone() const { return copyOf(*this); }
void ReduceMedianOp::setup() {
  const std::vector<int64_t>& taken = getAxes();
  Shape out;
  for (std::size_t d = 0; d < backwardShape().size(); ++d)
    if (getKeepDims() || !std::binary_search(taken.begin(), taken.end(), static_cast<int64_t>(d)))
      out.push_back(backward_shape[d]);
  outInfo(getOutIndex()) = TensorInfo(inInfo(getInIndex()).dataType(), out);
  if (hasOutput(getIndicesOutIndex()))
    outInfo(getIndicesOutIndex()) = TensorInfo(DataType::INT32, outShape(getOutIndex()));
}

CtcBeamSearchDecoderOp::~CtcBeamSearchDecoderOp() = default;
std::unique_ptr<Op> CtcBeamSearchDecoderOp::clone() const { return copyOf(*this); }
void CtcBeamSearchDecoderOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("blank", blankClass_);
  os.appendAttribute("beam_width", beamWidth_);
  os.appendAttribute("top_paths", topPaths_);
}
void CtcBeamSearchDecoderOp::setup() {
  const int64_t batch = getBatchSize(), paths = topPaths_;
  const DataType type = inInfo(getLogProbsInIndex()).dataType();
  outInfo(getLabelProbsOutIndex()) = TensorInfo(type, {batch, paths});
  outInfo(getLabelLengthsOutIndex()) = TensorInfo(DataType::UINT32, {batch, paths});
  outInfo(getDecodedLabelsOutIndex()) = TensorInfo(DataType::UINT32, {batch, paths, getMaxTime()});
}

CtcOp::CtcOp(const OperatorIdentifier& opid, ReductionType reduction, unsigned blank,
             bool zeroInfinity, const Op::Settings& settings, bool enableReducedClassesInLabel,
             DataType outDataType)
    : LossOp(opid, settings, reduction),
      blank_(blank),
      zeroInfinity_(zeroInfinity),
      outDataType_(outDataType) {
  if (enableReducedClassesInLabel)
    throw error("{}: enableReducedClassesInLabel is not there; labels have all classes",
                debugName());
}
CtcOp::~CtcOp() = default;
std::unique_ptr<Op> CtcOp::clone() const { return copyOf(*this); }
void CtcOp::setup() {
  const TensorInfo& probs = inInfo(getLogProbsInIndex());
  const DataType type = outDataType_ == DataType::UNDEFINED ? probs.dataType() : outDataType_;
  const bool isEach = getReductionType() == ReductionType::NoReduction;
  outInfo(getCtcLossOutIndex()) = TensorInfo(type, isEach ? Shape{probs.dim(1)} : Shape{});
  if (hasOutput(getLogProbsGradientWrtCtcLossOutIndex()))
    outInfo(getLogProbsGradientWrtCtcLossOutIndex()) = TensorInfo(type, probs.shape());
}
void CtcOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  LossOp::appendOutlineAttributes(os);
  os.appendAttribute("blank", blank_);
  os.appendAttribute("zeroInfinity", zeroInfinity_);
  os.appendAttribute("reduction", reductionTypeToString(getReductionType()));
}

ShapeOrLikeOp::~ShapeOrLikeOp() = default;

RandomNormalOp::~RandomNormalOp() = default;
std::unique_ptr<Op> RandomNormalOp::clone() const { return copyOf(*this); }
void RandomNormalOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("shape", shape_);
  os.appendAttribute("mean", mean_);
  os.appendAttribute("scale", scale_);
}

RandomNormalLikeOp::~RandomNormalLikeOp() = default;
std::unique_ptr<Op> RandomNormalLikeOp::clone() const { return copyOf(*this); }
void RandomNormalLikeOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("mean", mean_);
  os.appendAttribute("scale", scale_);
}

void RandomNormalLikeOp::setup() {
  const TensorInfo& in = inInfo(getInIndex());
  outInfo(getOutIndex()) = TensorInfo(getDataType() ? *getDataType() : in.dataType(), in.shape());
}
std::unique_ptr<RandomNormalOp> RandomNormalLikeOp::foldInputTensor(
    const Op::Settings& settings) const {
  const TensorInfo& in = inInfo(getInIndex());
  const OptionalDataType type = getDataType() ? getDataType() : OptionalDataType(in.dataType());
  return std::make_unique<RandomNormalOp>(Onnx::Operators::RandomNormal_1, in.shape(), type, mean_,
                                          scale_, settings);
}

RandomUniformOp::~RandomUniformOp() = default;
std::unique_ptr<Op> RandomUniformOp::clone() const { return copyOf(*this); }
void RandomUniformOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("shape", shape_);
  os.appendAttribute("high", high_);
  os.appendAttribute("low", low_);
}

RandomUniformLikeOp::~RandomUniformLikeOp() = default;
std::unique_ptr<Op> RandomUniformLikeOp::clone() const { return copyOf(*this); }
void RandomUniformLikeOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("high", high_);
  os.appendAttribute("low", low_);
}

void RandomUniformLikeOp::setup() {
  const TensorInfo& in = inInfo(getInIndex());
  outInfo(getOutIndex()) = TensorInfo(getDataType() ? *getDataType() : in.dataType(), in.shape());
}
std::unique_ptr<RandomUniformOp> RandomUniformLikeOp::foldInputTensor(
    const Op::Settings& settings) const {
  const TensorInfo& in = inInfo(getInIndex());
  const OptionalDataType type = getDataType() ? getDataType() : OptionalDataType(in.dataType());
  return std::make_unique<RandomUniformOp>(Onnx::Operators::RandomUniform_1, in.shape(), type,
                                           high_, low_, settings);
}

ShapedDropoutOp::~ShapedDropoutOp() = default;
std::unique_ptr<Op> ShapedDropoutOp::clone() const { return copyOf(*this); }
void ShapedDropoutOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  DropoutBaseOp::appendOutlineAttributes(os);
  os.appendAttribute("ratio", getRatio());
  os.appendAttribute("shape", shape_);
}

}  // namespace popart
