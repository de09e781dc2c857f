// Classes of operators that models have, whose shapes and gradients are the compiler's.
#include <popart/op/abort.hpp>
#include <popart/op/argextrema.hpp>
#include <popart/op/argmax.hpp>
#include <popart/op/argmin.hpp>
#include <popart/op/averagepool.hpp>
#include <popart/op/basesort.hpp>
#include <popart/op/bitwise.hpp>
#include <popart/op/bucketize.hpp>
#include <popart/op/ctc.hpp>
#include <popart/op/ctcbeamsearch.hpp>
#include <popart/op/cumsum.hpp>
#include <popart/op/expand.hpp>
#include <popart/op/globalaveragepool.hpp>
#include <popart/op/globalmaxpool.hpp>
#include <popart/op/instancenorm.hpp>
#include <popart/op/logsoftmax.hpp>
#include <popart/op/maxpool.hpp>
#include <popart/op/nop.hpp>
#include <popart/op/normalize_image.hpp>
#include <popart/op/onehot.hpp>
#include <popart/op/prelu.hpp>
#include <popart/op/randomnormal.hpp>
#include <popart/op/randomuniform.hpp>
#include <popart/op/reducemedian.hpp>
#include <popart/op/reverse.hpp>
#include <popart/op/roialign.hpp>
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

#include "popart/builtins.hpp"
#include "popart/op/constant_input.hpp"
#include "popart/op/copy_of.hpp"

namespace popart {

namespace {

/// Of a window, with the names of a node.
Attributes windowAttributes(const HasReceptiveFieldOp& op) {
  Attributes a;
  a.setAttribute("kernel_shape", op.getSpatialK());
  if (!op.baseStrides.empty()) a.setAttribute("strides", op.baseStrides);
  if (!op.basePads.empty() && op.padType == AutoPad::NOTSET) a.setAttribute("pads", op.basePads);
  if (!op.baseDilations.empty() && op.opid.version >= 10)
    a.setAttribute("dilations", op.baseDilations);
  if (op.padType != AutoPad::NOTSET)
    a.setAttribute("auto_pad", HasReceptiveFieldOp::autoPadText(op.padType));
  if (op.ceilMode) a.setAttribute("ceil_mode", Attributes::Int(1));
  return a;
}

template <class OP>
bool isIdentity(const OP& op) {
  const auto all = [](const Shape& list, int64_t value) {
    return list == Shape(list.size(), value);
  };
  return all(op.getSpatialK(), 1) && all(op.getStrides(), 1) && all(op.getPads(), 0);
}

/// The compiler's rule where it has the operator.
template <class OP>
void setUpPool(OP& op) {
  if (op.link() != nullptr && popir::builtinClass(op) != nullptr) return builtin::setup(op);
  op.HasReceptiveFieldOp::setup();
}

}  // namespace

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

OnehotOp::~OnehotOp() = default;
std::unique_ptr<Op> OnehotOp::clone() const { return copyOf(*this); }
void OnehotOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("axis", axis_);
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

AveragePoolOp::~AveragePoolOp() = default;
std::unique_ptr<Op> AveragePoolOp::clone() const { return copyOf(*this); }
void AveragePoolOp::setup() { setUpPool(*this); }
bool AveragePoolOp::canBeReplacedByIdentity() const { return isIdentity(*this); }
void AveragePoolOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  HasReceptiveFieldOp::appendOutlineAttributes(os);
  os.appendAttribute("kernel_shape", kernelShape_);
  os.appendAttribute("count_include_pad", countIncludePad_);
}
Attributes AveragePoolOp::nodeAttributes() const {
  Attributes a = windowAttributes(*this);
  if (countIncludePad_ != 0) a.setAttribute("count_include_pad", Attributes::Int(countIncludePad_));
  return a;
}

MaxPoolOp::~MaxPoolOp() = default;
std::unique_ptr<Op> MaxPoolOp::clone() const { return copyOf(*this); }
void MaxPoolOp::setup() { setUpPool(*this); }
bool MaxPoolOp::canBeReplacedByIdentity() const { return isIdentity(*this); }
void MaxPoolOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  HasReceptiveFieldOp::appendOutlineAttributes(os);
  os.appendAttribute("kernel_shape", kernelShape_);
  os.appendAttribute("storage_order", storageOrder_);
}
Attributes MaxPoolOp::nodeAttributes() const {
  Attributes a = windowAttributes(*this);
  if (storageOrder_ != 0) a.setAttribute("storage_order", Attributes::Int(storageOrder_));
  return a;
}

GlobalAveragePoolOp::~GlobalAveragePoolOp() = default;
std::unique_ptr<Op> GlobalAveragePoolOp::clone() const { return copyOf(*this); }
Shape GlobalAveragePoolOp::getSpatialK() const {
  const Shape& in = inShape(getInIndex());
  return in.size() < 2 ? Shape() : Shape(in.begin() + 2, in.end());
}

GlobalMaxPoolOp::~GlobalMaxPoolOp() = default;
std::unique_ptr<Op> GlobalMaxPoolOp::clone() const { return copyOf(*this); }
Shape GlobalMaxPoolOp::getSpatialK() const {
  const Shape& in = inShape(getInIndex());
  return in.size() < 2 ? Shape() : Shape(in.begin() + 2, in.end());
}

RoiAlignOp::~RoiAlignOp() = default;
std::unique_ptr<Op> RoiAlignOp::clone() const { return copyOf(*this); }
void RoiAlignOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("spatial_scale", spatialScale_);
  os.appendAttribute("sampling_ratio", samplingRatio_);
  os.appendAttribute("output_height", alignedHeight_);
  os.appendAttribute("output_width", alignedWidth_);
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

ReverseOp::~ReverseOp() = default;
std::unique_ptr<Op> ReverseOp::clone() const { return copyOf(*this); }
void ReverseOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("dimensions", dimensions_);
}

SubsampleOp::~SubsampleOp() = default;
std::unique_ptr<Op> SubsampleOp::clone() const { return copyOf(*this); }
void SubsampleOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("strides", strides_);
}
bool SubsampleOp::strideSizeOne() const {
  return strides_ == std::vector<int64_t>(strides_.size(), 1);
}

SequenceSliceOp::~SequenceSliceOp() = default;
std::unique_ptr<Op> SequenceSliceOp::clone() const { return copyOf(*this); }
void SequenceSliceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("zeroUnused", zeroUnused_);
}

TensorRemapOp::~TensorRemapOp() = default;
std::unique_ptr<Op> TensorRemapOp::clone() const { return copyOf(*this); }
void TensorRemapOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("remap_type", static_cast<int>(type_));
}

UpsampleOp::~UpsampleOp() = default;
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

NormalizeImageOp::~NormalizeImageOp() = default;
std::unique_ptr<Op> NormalizeImageOp::clone() const { return copyOf(*this); }
void NormalizeImageOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("scale", scale_);
}

SplineBasisOp::~SplineBasisOp() = default;
std::unique_ptr<Op> SplineBasisOp::clone() const { return copyOf(*this); }
void SplineBasisOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  Op::appendOutlineAttributes(os);
  os.appendAttribute("degree", degree_);
}

SplineWeightingOp::~SplineWeightingOp() = default;
std::unique_ptr<Op> SplineWeightingOp::clone() const { return copyOf(*this); }

AbortOp::~AbortOp() = default;
std::unique_ptr<Op> AbortOp::clone() const { return copyOf(*this); }

ReduceMedianOp::~ReduceMedianOp() = default;
std::unique_ptr<Op> ReduceMedianOp::clone() const { return copyOf(*this); }
void ReduceMedianOp::setup() {
  ReduceOp::setup();
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
