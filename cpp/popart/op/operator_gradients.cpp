// Gradients of operators that the compiler computes: views, norms, pools, movements.
#include <popart/graphcoreoperators.hpp>
#include <popart/op/averagepool.hpp>
#include <popart/op/batchnorm.hpp>
#include <popart/op/boundary.hpp>
#include <popart/op/cast.hpp>
#include <popart/op/clip.hpp>
#include <popart/op/concat.hpp>
#include <popart/op/cumsum.hpp>
#include <popart/op/expand.hpp>
#include <popart/op/globalaveragepool.hpp>
#include <popart/op/globalmaxpool.hpp>
#include <popart/op/groupnorm.hpp>
#include <popart/op/identity.hpp>
#include <popart/op/instancenorm.hpp>
#include <popart/op/logsoftmax.hpp>
#include <popart/op/lrn.hpp>
#include <popart/op/max.hpp>
#include <popart/op/maxpool.hpp>
#include <popart/op/mean.hpp>
#include <popart/op/min.hpp>
#include <popart/op/negate.hpp>
#include <popart/op/onehot.hpp>
#include <popart/op/placeholder.hpp>
#include <popart/op/reshape.hpp>
#include <popart/op/reverse.hpp>
#include <popart/op/roialign.hpp>
#include <popart/op/scale.hpp>
#include <popart/op/scatter.hpp>
#include <popart/op/split.hpp>
#include <popart/op/subsample.hpp>
#include <popart/op/sum.hpp>
#include <popart/op/tile.hpp>
#include <popart/op/topk.hpp>
#include <popart/op/transpose.hpp>
#include <popart/op/where.hpp>
#include <popart/operators.hpp>
#include <popart/opserialiser.hpp>
#include <popart/tensor.hpp>
#include <popart/tensorindex.hpp>

#include "popart/op/copy_of.hpp"

namespace popart {
namespace {

/// Without the outputs that the operator does not have.
std::vector<GradInOutMapper> existing(const Op& op, const std::vector<GradInOutMapper>& all) {
  std::vector<GradInOutMapper> found;
  for (const GradInOutMapper& each : all)
    if (each.type != GradOpInType::Out || op.hasOutput(each.iNonGrad)) found.push_back(each);
  return found;
}

}  // namespace

#define POPIR_COPIED(CLASS)  \
  CLASS::~CLASS() = default; \
  std::unique_ptr<Op> CLASS::clone() const { return copyOf(*this); }
#define POPIR_GRADIENT(OP, GRADIENT)                  \
  POPIR_COPIED(GRADIENT)                              \
  std::vector<std::unique_ptr<Op>> OP::getGradOps() { \
    std::vector<std::unique_ptr<Op>> made;            \
    made.emplace_back(new GRADIENT(*this));           \
    return made;                                      \
  }

NegateGradOp::NegateGradOp(const NegateOp& fwdOp)
    : NegateOp(Onnx::GradOperators::NegGrad, fwdOp.getSettings()),
      Origin(fwdOp, Onnx::Operators::Neg_6) {}
POPIR_GRADIENT(NegateOp, NegateGradOp)

CastGradOp::CastGradOp(const CastOp& fwdOp)
    : CastOp(Onnx::GradOperators::CastGrad, fwdOp.inInfo(getInIndex()).dataType(),
             fwdOp.getSettings()),
      Origin(fwdOp, Onnx::Operators::Cast_9) {}
POPIR_GRADIENT(CastOp, CastGradOp)

ScaleGradOp::ScaleGradOp(const ScaleOp& fwdOp)
    : ScaleOp(Onnx::GradOperators::ScaleGrad, fwdOp.getScaleFactor(), fwdOp.getSettings()),
      Origin(fwdOp, Onnx::CustomOperators::Scale_1) {}
POPIR_GRADIENT(ScaleOp, ScaleGradOp)

ReshapeGradOp::ReshapeGradOp(const ReshapeOp& fwdOp)
    : ReshapeOp(Onnx::GradOperators::ReshapeGrad, fwdOp.inShape(getInIndex()), fwdOp.getSettings()),
      Origin(fwdOp, Onnx::CustomOperators::Reshape_1) {}
POPIR_GRADIENT(ReshapeOp, ReshapeGradOp)

TransposeGradOp::TransposeGradOp(const TransposeOp& fwdOp)
    : TransposeOp(Onnx::GradOperators::TransposeGrad, fwdOp.generateReversePermutation(),
                  fwdOp.getSettings()),
      Origin(fwdOp, Onnx::Operators::Transpose_1) {}
POPIR_GRADIENT(TransposeOp, TransposeGradOp)

TileGradOp::TileGradOp(const TileOp& fwdOp)
    : TileOp(Onnx::GradOperators::TileGrad, fwdOp.getSettings()),
      Origin(fwdOp, Onnx::Operators::Tile_6) {}
POPIR_GRADIENT(TileOp, TileGradOp)

static Attributes boundsOf(const ClipOp& op) {
  Attributes bounds;
  bounds.setAttribute("min", op.getClipMin());
  bounds.setAttribute("max", op.getClipMax());
  return bounds;
}
ClipGradOp::ClipGradOp(const ClipOp& fwdOp)
    : ClipOp(Onnx::GradOperators::ClipGrad, fwdOp.getClipMin(), fwdOp.getClipMax(),
             fwdOp.getSettings()),
      Origin(fwdOp, Onnx::Operators::Clip_6, boundsOf(fwdOp), 1) {}
POPIR_GRADIENT(ClipOp, ClipGradOp)
const std::vector<GradInOutMapper>& ClipGradOp::gradInputInfo() const {
  static const std::vector<GradInOutMapper> inputs = {
      {getGradClippedInIndex(), ClipOp::getOutIndex(), GradOpInType::GradOut},
      {getClippedInIndex(), ClipOp::getOutIndex(), GradOpInType::Out}};
  return inputs;
}
ClipInplaceOp::ClipInplaceOp(const ClipOp& op)
    : ElementWiseInplaceUnaryOp(Onnx::CustomOperators::ClipInplace, op.settings),
      Origin(op, Onnx::Operators::Clip_6, boundsOf(op), 1),
      min_(op.getClipMin()),
      max_(op.getClipMax()) {}
POPIR_COPIED(ClipInplaceOp)
void ClipInplaceOp::appendOutlineAttributes(OpSerialiserBase& os) const {
  ElementWiseInplaceUnaryOp::appendOutlineAttributes(os);
  appendForward(os);
}

LogSoftmaxGradOp::LogSoftmaxGradOp(const LogSoftmaxOp& fwdOp)
    : GradOp(Onnx::GradOperators::LogSoftmaxGrad, fwdOp, Onnx::Operators::LogSoftmax_1,
             {{0, 0, GradOpInType::GradOut}, {1, 0, GradOpInType::In}}, {{0, 0}}),
      axis_(fwdOp.getAxis()) {}
POPIR_GRADIENT(LogSoftmaxOp, LogSoftmaxGradOp)

ExpandGradOp::ExpandGradOp(const ExpandOp& fwdOp)
    : GradOp(Onnx::GradOperators::ExpandGrad, fwdOp, Onnx::Operators::Expand_8, builtin::ofResult,
             builtin::ofInput) {}
POPIR_GRADIENT(ExpandOp, ExpandGradOp)

WhereXGradOp::WhereXGradOp(const WhereOp& fwdOp)
    : GradOp(Onnx::GradOperators::WhereXGrad, fwdOp, Onnx::Operators::Where_9,
             {{0, 0, GradOpInType::In}, {1, 0, GradOpInType::GradOut}}, {{0, 1}}) {}
POPIR_COPIED(WhereXGradOp)
std::vector<std::size_t> WhereXGradOp::getFwdInShape() const {
  return forwardInput(*this, WhereOp::xInIndex()).shape_szt();
}

WhereYGradOp::WhereYGradOp(const WhereOp& fwdOp)
    : GradOp(Onnx::GradOperators::WhereYGrad, fwdOp, Onnx::Operators::Where_9,
             {{0, 0, GradOpInType::In}, {1, 0, GradOpInType::GradOut}}, {{0, 2}}) {}
POPIR_COPIED(WhereYGradOp)
std::vector<std::size_t> WhereYGradOp::getFwdInShape() const {
  return forwardInput(*this, WhereOp::yInIndex()).shape_szt();
}
std::vector<std::unique_ptr<Op>> WhereOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new WhereXGradOp(*this));
  made.emplace_back(new WhereYGradOp(*this));
  return made;
}

OnehotGradOp::OnehotGradOp(const OnehotOp& fwdOp)
    : GradOp(Onnx::GradOperators::OneHotGrad, fwdOp, Onnx::Operators::OneHot_9,
             {{0, 0, GradOpInType::GradOut}, {1, 0, GradOpInType::In}}, {{0, 2}}),
      axis_(fwdOp.getAxis()) {}
POPIR_GRADIENT(OnehotOp, OnehotGradOp)

CumSumGradOp::CumSumGradOp(const CumSumOp& fwdOp, bool exclusive, bool reverse, int64_t axis)
    : GradOp(Onnx::GradOperators::CumSumGrad, fwdOp, Onnx::Operators::CumSum_11,
             {{0, 0, GradOpInType::GradOut}, {1, 0, GradOpInType::In}}, {{0, 0}}),
      exclusive_(exclusive),
      reverse_(reverse),
      axis_(axis) {}
POPIR_COPIED(CumSumGradOp)
std::vector<std::unique_ptr<Op>> CumSumOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new CumSumGradOp(*this, exclusive_, reverse_, getAxis()));
  return made;
}

TopKGradOp::TopKGradOp(const TopKOp& fwdOp)
    : GradOp(Onnx::GradOperators::TopKGrad, fwdOp, Onnx::Operators::TopK_1,
             {{0, 0, GradOpInType::GradOut}, {1, 1, GradOpInType::Out}}, {{0, 0}}),
      axis_(fwdOp.getAxis()),
      memory_(fwdOp.getAvailableMemoryProportion()) {}
POPIR_GRADIENT(TopKOp, TopKGradOp)

ScatterDataGradOp::ScatterDataGradOp(const ScatterOp& fwdOp, int64_t axis)
    : GradOp(Onnx::GradOperators::ScatterDataGrad, fwdOp, Onnx::Operators::ScatterElements_11,
             {{0, 0, GradOpInType::GradOut}, {1, 1, GradOpInType::In}}, {{0, 0}}),
      axis_(axis) {}
POPIR_COPIED(ScatterDataGradOp)

ScatterUpdateGradOp::ScatterUpdateGradOp(const ScatterOp& fwdOp, int64_t axis)
    : GradOp(Onnx::GradOperators::ScatterUpdateGrad, fwdOp, Onnx::Operators::ScatterElements_11,
             {{0, 0, GradOpInType::GradOut}, {1, 1, GradOpInType::In}}, {{0, 2}}),
      axis_(axis) {}
POPIR_COPIED(ScatterUpdateGradOp)
std::vector<std::unique_ptr<Op>> ScatterOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new ScatterDataGradOp(*this, axis_));
  made.emplace_back(new ScatterUpdateGradOp(*this, axis_));
  return made;
}

ConcatGradOp::ConcatGradOp(const ConcatOp& fwdOp, InIndex input)
    : GradOp(Onnx::GradOperators::ConcatGrad, fwdOp, Onnx::Operators::Concat_4, builtin::ofResult,
             {{0, input}}),
      axis_(fwdOp.getAxis()) {
  for (InIndex i = 0; i <= input; ++i) {
    const Shape& shape = fwdOp.inShape(i);
    const auto axis =
        static_cast<std::size_t>(axis_ < 0 ? axis_ + static_cast<int64_t>(shape.size()) : axis_);
    start_ = end_;
    end_ += shape[axis];
  }
}
POPIR_COPIED(ConcatGradOp)
std::vector<std::unique_ptr<Op>> ConcatOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  for (const auto& each : input->tensorMap())
    made.emplace_back(new ConcatGradOp(*this, each.first));
  return made;
}

static std::vector<GradInOutMapper> gradientsOf(const SplitOp& op) {
  std::vector<GradInOutMapper> inputs;
  for (const auto& each : op.output->tensorMap())
    inputs.emplace_back(each.first, each.first, GradOpInType::GradOut);
  return inputs;
}
SplitGradOp::SplitGradOp(const SplitOp& fwdOp, const Op::Settings&)
    : GradOp(Onnx::GradOperators::SplitGrad, fwdOp, Onnx::Operators::Split_2, gradientsOf(fwdOp),
             builtin::ofInput),
      axis_(fwdOp.getAxis()) {}
POPIR_COPIED(SplitGradOp)
std::vector<std::unique_ptr<Op>> SplitOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  made.emplace_back(new SplitGradOp(*this, getSettings()));
  return made;
}

GroupNormGradOp::GroupNormGradOp(const GroupNormOp& fwdOp)
    : GradOp(Onnx::GradOperators::GroupNormalizationGrad, fwdOp,
             Onnx::CustomOperators::GroupNormalization_1,
             {{4, 0, GradOpInType::GradOut},
              {0, 0, GradOpInType::In},
              {1, 1, GradOpInType::In},
              {2, 1, GradOpInType::Out},
              {3, 2, GradOpInType::Out}},
             {{0, 0}, {1, 1}, {2, 2}}),
      epsilon_(fwdOp.getEpsilon()) {}
POPIR_GRADIENT(GroupNormOp, GroupNormGradOp)

InstanceNormGradOp::InstanceNormGradOp(const InstanceNormOp& fwdOp)
    : GradOp(Onnx::GradOperators::InstanceNormalizationGrad, fwdOp,
             Onnx::Operators::InstanceNormalization_6,
             existing(fwdOp, {{0, 0, GradOpInType::In},
                              {1, 1, GradOpInType::In},
                              {2, 0, GradOpInType::GradOut},
                              {3, 1, GradOpInType::Out},
                              {4, 2, GradOpInType::Out}}),
             {{0, 0}, {1, 1}, {2, 2}}) {}
POPIR_GRADIENT(InstanceNormOp, InstanceNormGradOp)

BatchNormGradOp::BatchNormGradOp(const BatchNormOp& fwdOp)
    : GradOp(Onnx::GradOperators::BatchNormalizationGrad, fwdOp,
             Onnx::Operators::BatchNormalization_9,
             existing(fwdOp, {{4, 0, GradOpInType::GradOut},
                              {0, 0, GradOpInType::In},
                              {1, 1, GradOpInType::In},
                              {2, 3, GradOpInType::Out},
                              {3, 4, GradOpInType::Out}}),
             {{0, 0}, {1, 1}, {2, 2}}),
      epsilon_(fwdOp.getEpsilon()),
      spatial_(fwdOp.getSpatial()) {}
POPIR_GRADIENT(BatchNormOp, BatchNormGradOp)

LRNGradOp::LRNGradOp(const LRNOp& fwdOp)
    : GradOp(Onnx::GradOperators::LRNGrad, fwdOp, Onnx::Operators::LRN_1,
             {{0, 0, GradOpInType::GradOut}, {1, 0, GradOpInType::In}}, {{0, 0}}),
      alpha_(fwdOp.getAlpha()),
      beta_(fwdOp.getBeta()),
      bias_(fwdOp.getBias()),
      size_(fwdOp.getSize()) {}
POPIR_GRADIENT(LRNOp, LRNGradOp)

RoiAlignGradOp::RoiAlignGradOp(const RoiAlignOp& fwdOp)
    : GradOp(Onnx::GradOperators::RoiAlignGrad, fwdOp, Onnx::Operators::RoiAlign_10,
             {{0, 0, GradOpInType::GradOut},
              {1, 1, GradOpInType::In},
              {2, 2, GradOpInType::In},
              {3, 0, GradOpInType::In}},
             {{0, 0}}),
      spatialScale_(fwdOp.getSpatialScale()),
      samplingRatio_(fwdOp.getSamplingRatio()),
      alignedHeight_(fwdOp.getAlignedHeight()),
      alignedWidth_(fwdOp.getAlignedWidth()) {}
POPIR_GRADIENT(RoiAlignOp, RoiAlignGradOp)

AveragePoolGradOp::AveragePoolGradOp(const AveragePoolOp& fwdOp)
    : GradOp(Onnx::GradOperators::AveragePoolGrad, fwdOp, Onnx::Operators::AveragePool_7,
             {{2, 0, GradOpInType::GradOut}, {1, 0, GradOpInType::Out}, {0, 0, GradOpInType::In}},
             {{0, 0}}),
      creatorSpatialK(fwdOp.getSpatialK()),
      creatorStrides(fwdOp.getStrides()),
      creatorLowerPads(fwdOp.lowerPads()),
      creatorUpperPads(fwdOp.upperPads()) {}
POPIR_GRADIENT(AveragePoolOp, AveragePoolGradOp)

MaxPoolGradOp::MaxPoolGradOp(const MaxPoolOp& fwdOp)
    : GradOp(Onnx::GradOperators::MaxPoolGrad, fwdOp, Onnx::Operators::MaxPool_8,
             {{2, 0, GradOpInType::GradOut}, {1, 0, GradOpInType::Out}, {0, 0, GradOpInType::In}},
             {{0, 0}}),
      creatorSpatialK(fwdOp.getSpatialK()),
      creatorStrides(fwdOp.getStrides()),
      creatorLowerPads(fwdOp.lowerPads()),
      creatorUpperPads(fwdOp.upperPads()) {}
POPIR_GRADIENT(MaxPoolOp, MaxPoolGradOp)

GlobalAveragePoolGradOp::GlobalAveragePoolGradOp(const GlobalAveragePoolOp& fwdOp)
    : GradOp(Onnx::GradOperators::GlobalAveragePoolGrad, fwdOp,
             Onnx::Operators::GlobalAveragePool_1,
             {{2, 0, GradOpInType::GradOut}, {1, 0, GradOpInType::Out}, {0, 0, GradOpInType::In}},
             {{0, 0}}),
      creatorSpatialK(fwdOp.getSpatialK()),
      creatorStrides(fwdOp.getStrides()),
      creatorLowerPads(fwdOp.getLowerPads()),
      creatorUpperPads(fwdOp.getUpperPads()) {}
POPIR_GRADIENT(GlobalAveragePoolOp, GlobalAveragePoolGradOp)

GlobalMaxPoolGradOp::GlobalMaxPoolGradOp(const GlobalMaxPoolOp& fwdOp)
    : GradOp(Onnx::GradOperators::GlobalMaxPoolGrad, fwdOp, Onnx::Operators::GlobalMaxPool_1,
             {{2, 0, GradOpInType::GradOut}, {1, 0, GradOpInType::Out}, {0, 0, GradOpInType::In}},
             {{0, 0}}),
      creatorSpatialK(fwdOp.getSpatialK()),
      creatorStrides(fwdOp.getStrides()),
      creatorLowerPads(fwdOp.getLowerPads()),
      creatorUpperPads(fwdOp.getUpperPads()) {}
POPIR_GRADIENT(GlobalMaxPoolOp, GlobalMaxPoolGradOp)

std::vector<std::unique_ptr<Op>> VariadicOp::getGradOps() {
  std::vector<std::unique_ptr<Op>> made;
  for (const auto& each : input->tensorMap()) made.push_back(getIthGrad(each.first));
  return made;
}
VariadicGradOp::VariadicGradOp(const OperatorIdentifier& opid, const VariadicOp& fwdOp,
                               InIndex index, const OperatorIdentifier& known, bool isLinear)
    : GradOp(opid, fwdOp, known,
             isLinear ? builtin::ofResult
                      : std::vector<GradInOutMapper>{{0, 0, GradOpInType::GradOut},
                                                     {1, index, GradOpInType::In},
                                                     {2, 0, GradOpInType::Out}},
             {{0, index}}),
      index_(index) {}
POPIR_COPIED(VariadicGradOp)
POPIR_COPIED(NonLinearVariadicGradOp)
POPIR_COPIED(LinearVariadicGradOp)

SumArgGradOp::SumArgGradOp(const SumOp& fwdOp, InIndex index)
    : LinearVariadicGradOp(Onnx::GradOperators::SumArgGrad, fwdOp, index, Onnx::Operators::Sum_8) {}
POPIR_COPIED(SumArgGradOp)
std::unique_ptr<Op> SumOp::getIthGrad(int i) const {
  return std::unique_ptr<Op>(new SumArgGradOp(*this, i));
}

MeanArgGradOp::MeanArgGradOp(const MeanOp& fwdOp, InIndex index)
    : LinearVariadicGradOp(Onnx::GradOperators::MeanArgGrad, fwdOp, index,
                           Onnx::Operators::Mean_8) {}
POPIR_COPIED(MeanArgGradOp)
std::unique_ptr<Op> MeanOp::getIthGrad(int i) const {
  return std::unique_ptr<Op>(new MeanArgGradOp(*this, i));
}

MaxArgGradOp::MaxArgGradOp(const MaxOp& fwdOp, InIndex index)
    : NonLinearVariadicGradOp(Onnx::GradOperators::MaxArgGrad, fwdOp, index,
                              Onnx::Operators::Max_8) {}
POPIR_COPIED(MaxArgGradOp)
std::unique_ptr<Op> MaxOp::getIthGrad(int i) const {
  return std::unique_ptr<Op>(new MaxArgGradOp(*this, i));
}

MinArgGradOp::MinArgGradOp(const MinOp& fwdOp, InIndex index)
    : NonLinearVariadicGradOp(Onnx::GradOperators::MinArgGrad, fwdOp, index,
                              Onnx::Operators::Min_8) {}
POPIR_COPIED(MinArgGradOp)
std::unique_ptr<Op> MinOp::getIthGrad(int i) const {
  return std::unique_ptr<Op>(new MinArgGradOp(*this, i));
}

ReverseGradOp::ReverseGradOp(const ReverseOp& fwdOp)
    : ReverseOp(Onnx::GradOperators::ReverseGrad, fwdOp.getSettings(), fwdOp.getDimensions()),
      Origin(fwdOp, Onnx::CustomOperators::Reverse) {}
POPIR_GRADIENT(ReverseOp, ReverseGradOp)
ReverseInplaceOp::ReverseInplaceOp(const ReverseOp& op)
    : ReverseBaseOp(Onnx::CustomOperators::ReverseInplace, op.settings, op.getDimensions()),
      Origin(op, Onnx::CustomOperators::Reverse) {}
POPIR_COPIED(ReverseInplaceOp)
SubsampleGradOp::SubsampleGradOp(const SubsampleBaseOp& fwdOp)
    : GradOp(Onnx::CustomGradOperators::SubsampleGrad, fwdOp, Onnx::CustomOperators::Subsample_1,
             builtin::ofResult, builtin::ofInput),
      strides_(fwdOp.getStrides()) {}
POPIR_GRADIENT(SubsampleBaseOp, SubsampleGradOp)
SubsampleInplaceOp::SubsampleInplaceOp(const SubsampleOp& op)
    : SubsampleBaseOp(Onnx::CustomOperators::SubsampleInplace, op.getStrides(), op.settings),
      Origin(op, Onnx::CustomOperators::Subsample_1) {}
POPIR_COPIED(SubsampleInplaceOp)

IdentityLossOp::~IdentityLossOp() = default;
std::unique_ptr<Op> IdentityLossOp::clone() const { return copyOf(*this); }
void IdentityLossOp::setup() {
  const TensorInfo& in = inInfo(getInIndex());
  const bool isWhole = getReductionType() == ReductionType::NoReduction;
  outInfo(getOutIndex()) = isWhole ? in : TensorInfo(in.dataType(), Shape{});
}
IdentityLossGradOp::IdentityLossGradOp(const IdentityLossOp& fwdOp)
    : GradOp(Onnx::GradOperators::IdentityLossGrad, fwdOp, Onnx::CustomOperators::IdentityLoss,
             builtin::ofResult, builtin::ofInput),
      reduction_(fwdOp.getReductionType()) {}
POPIR_GRADIENT(IdentityLossOp, IdentityLossGradOp)

BoundaryOp::~BoundaryOp() = default;
std::unique_ptr<Op> BoundaryOp::clone() const { return copyOf(*this); }
PlaceholderOp::~PlaceholderOp() = default;
std::unique_ptr<Op> PlaceholderOp::clone() const { return copyOf(*this); }
void PlaceholderOp::setup() {
  throw error("{} stands for another operator and has no shapes: put that in its place",
              debugName());
}

#undef POPIR_GRADIENT
#undef POPIR_COPIED

}  // namespace popart
