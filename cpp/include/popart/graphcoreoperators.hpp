// Identifiers of the operators in domain "ai.graphcore": operators of models, in-place variants and
// gradients. After popart/graphcoreoperators.hpp of PopART 3.
#ifndef popart_graphcoreoperators_hpp
#define popart_graphcoreoperators_hpp

#include <popart/operatoridentifier.hpp>

#pragma GCC visibility push(default)

// Each row: name of the constant, name of the operator.
// clang-format off
#define POPART_GRAD_OPERATORS(X) \
  X(AbsGrad, "AbsGrad") X(AddArg0Grad, "AddArg0Grad") X(AddArg1Grad, "AddArg1Grad") \
  X(AsinGrad, "AsinGrad") X(Atan2Arg0Grad, "Atan2Arg0Grad") X(Atan2Arg1Grad, "Atan2Arg1Grad") \
  X(AtanGrad, "AtanGrad") X(AutoLossScaleProxyGrad, "AutoLossScaleProxyGrad") \
  X(AveragePoolGrad, "AveragePoolGrad") X(BatchNormalizationGrad, "BatchNormalizationGrad") \
  X(CastGrad, "CastGrad") X(ClipGrad, "ClipGrad") X(ConcatGrad, "ConcatGrad") \
  X(ConvDataGrad, "ConvDataGrad") X(ConvWeightsGrad, "ConvWeightsGrad") \
  X(ConvFlipWeightsGrad, "ConvFlipWeightsGrad") X(CosGrad, "CosGrad") \
  X(CumSumGrad, "CumSumGrad") X(DivArg0Grad, "DivArg0Grad") X(DivArg1Grad, "DivArg1Grad") \
  X(DropoutGrad, "DropoutGrad") X(EluGrad, "EluGrad") X(ErfGrad, "ErfGrad") \
  X(ExpandGrad, "ExpandGrad") X(ExpGrad, "ExpGrad") X(Expm1Grad, "Expm1Grad") \
  X(GatherGrad, "GatherGrad") X(GeluGrad, "GeluGrad") X(GeluErfGrad, "GeluErfGrad") \
  X(GlobalAveragePoolGrad, "GlobalAveragePoolGrad") X(GlobalMaxPoolGrad, "GlobalMaxPoolGrad") \
  X(GroupNormalizationGrad, "GroupNormalizationGrad") X(GRUGrad, "GRUGrad") \
  X(HardSigmoidGrad, "HardSigmoidGrad") X(IdentityGrad, "IdentityGrad") \
  X(IdentityLossGrad, "IdentityLossGrad") \
  X(InstanceNormalizationGrad, "InstanceNormalizationGrad") X(LeakyReluGrad, "LeakyReluGrad") \
  X(Log1pGrad, "Log1pGrad") X(LogGrad, "LogGrad") X(LogSoftmaxGrad, "LogSoftmaxGrad") \
  X(LRNGrad, "LRNGrad") X(LSTMGrad, "LSTMGrad") X(MatMulLhsGrad, "MatMulLhsGrad") \
  X(MatMulRhsGrad, "MatMulRhsGrad") X(MaxArgGrad, "MaxArgGrad") X(MaxPoolGrad, "MaxPoolGrad") \
  X(MeanArgGrad, "MeanArgGrad") X(MinArgGrad, "MinArgGrad") X(FmodArg0Grad, "FmodArg0Grad") \
  X(MulArg0Grad, "MulArg0Grad") X(MulArg1Grad, "MulArg1Grad") \
  X(MultiConvDataGrad, "MultiConvDataGrad") X(MultiConvWeightsGrad, "MultiConvWeightsGrad") \
  X(NegGrad, "NegGrad") X(OneHotGrad, "OneHotGrad") X(PadGrad, "PadGrad") \
  X(PopartLSTMGrad, "PopartLSTMGrad") X(PowArg0Grad, "PowArg0Grad") \
  X(PowArg1Grad, "PowArg1Grad") X(ReciprocalGrad, "ReciprocalGrad") \
  X(ReduceL1Grad, "ReduceL1Grad") X(ReduceL2Grad, "ReduceL2Grad") \
  X(ReduceLogSumExpGrad, "ReduceLogSumExpGrad") X(ReduceLogSumGrad, "ReduceLogSumGrad") \
  X(ReduceMaxGrad, "ReduceMaxGrad") X(ReduceMeanGrad, "ReduceMeanGrad") \
  X(ReduceMinGrad, "ReduceMinGrad") X(ReduceProdGrad, "ReduceProdGrad") \
  X(ReduceSumGrad, "ReduceSumGrad") X(ReduceSumSquareGrad, "ReduceSumSquareGrad") \
  X(ReluGrad, "ReluGrad") X(ReshapeGrad, "ReshapeGrad") X(ResizeGrad, "ResizeGrad") \
  X(ReverseGrad, "ReverseGrad") X(RNNGrad, "RNNGrad") X(RoiAlignGrad, "RoiAlignGrad") \
  X(ScaleGrad, "ScaleGrad") X(ScatterDataGrad, "ScatterDataGrad") \
  X(ScatterUpdateGrad, "ScatterUpdateGrad") X(SeluGrad, "SeluGrad") X(ShrinkGrad, "ShrinkGrad") \
  X(SigmoidGrad, "SigmoidGrad") X(SignGrad, "SignGrad") X(SinGrad, "SinGrad") \
  X(SinhGrad, "SinhGrad") X(SliceGrad, "SliceGrad") X(SoftmaxGrad, "SoftmaxGrad") \
  X(SoftPlusGrad, "SoftPlusGrad") X(SoftSignGrad, "SoftSignGrad") X(SplitGrad, "SplitGrad") \
  X(SqrtGrad, "SqrtGrad") X(SubArg0Grad, "SubArg0Grad") X(SubArg1Grad, "SubArg1Grad") \
  X(SumArgGrad, "SumArgGrad") X(TanhGrad, "TanhGrad") \
  X(ThresholdedReluGrad, "ThresholdedReluGrad") X(TiedGatherGrad, "TiedGatherGrad") \
  X(TileGrad, "TileGrad") X(TopKGrad, "TopKGrad") X(TransposeGrad, "TransposeGrad") \
  X(WhereXGrad, "WhereXGrad") X(WhereYGrad, "WhereYGrad")

#define POPART_CUSTOM_OPERATORS(X) \
  X(Accumulate, "Accumulate") X(AccumulatorScale, "AccumulatorScale") \
  X(AdaDeltaUpdater, "AdaDeltaUpdater") X(AdamCombo, "AdamCombo") \
  X(AdaptiveCombo, "AdaptiveCombo") X(RescaleAccumulate, "RescaleAccumulate") \
  X(AdamUpdater, "AdamUpdater") X(AdamVarUpdate, "AdamVarUpdate") X(AddBias, "AddBias") \
  X(AddBiasInplace, "AddBiasInplace") X(AddLhsInplace, "AddLhsInplace") \
  X(AddRhsInplace, "AddRhsInplace") X(AsinInplace, "AsinInplace") X(Atan2_1, "Atan2") \
  X(Atan2Inplace, "Atan2Inplace") X(AtanInplace, "AtanInplace") \
  X(AutoLossScaleProxy, "AutoLossScaleProxy") X(BatchNormalization_1, "BatchNormalization") \
  X(Bucketize, "Bucketize") X(Call_1, "Call") X(CeilInplace, "CeilInplace") \
  X(ClipInplace, "ClipInplace") X(ConcatGradInplace, "ConcatGradInplace") \
  X(ConcatInplace, "ConcatInplace") X(CastThenPow2Scale, "CastThenPow2Scale") \
  X(Pow2ScaleThenCast, "Pow2ScaleThenCast") X(ConvFlipWeights, "ConvFlipWeights") \
  X(CopyVarUpdate, "CopyVarUpdate") X(Ctc, "Ctc") \
  X(CtcBeamSearchDecoder, "CtcBeamSearchDecoder") X(DepthToSpace, "DepthToSpace") \
  X(Detach_1, "Detach") X(DetachInplace, "DetachInplace") X(DynamicAdd_1, "DynamicAdd") \
  X(DynamicAddInplace, "DynamicAddInplace") X(DynamicSlice_1, "DynamicSlice") \
  X(DynamicSliceInplace_1, "DynamicSliceInplace") X(SequenceSlice_1, "SequenceSlice") \
  X(SequenceSliceInplace, "SequenceSliceInplace") X(DynamicUpdate_1, "DynamicUpdate") \
  X(DynamicUpdateInplace, "DynamicUpdateInplace") X(DynamicZero_1, "DynamicZero") \
  X(DynamicZeroInplace, "DynamicZeroInplace") X(EluInplace, "EluInplace") \
  X(ExpandInplace, "ExpandInplace") X(ExpInplace, "ExpInplace") X(Expm1_1, "Expm1") \
  X(Expm1Inplace, "Expm1Inplace") X(FlattenInplace, "FlattenInplace") \
  X(FloorInplace, "FloorInplace") X(Fmod, "Fmod") X(Gelu_1, "Gelu") \
  X(GeluInplace, "GeluInplace") X(GeluErf_1, "GeluErf") X(GeluErfInplace, "GeluErfInplace") \
  X(GetRandomSeed, "GetRandomSeed") X(GradCopyFromHost, "GradCopyFromHost") \
  X(GradientAccumulation, "GradientAccl") X(GroupNormalization_1, "GroupNormalization") \
  X(GroupedGather, "GroupedGather") X(HardSigmoidInplace, "HardSigmoidInplace") \
  X(Histogram, "Histogram") X(HostSGD0VarUpdate, "HostSGD0VarUpdate") \
  X(IdentityInplace, "IdentityInplace") X(IdentityLoss, "IdentityLoss") \
  X(IncrementMod_1, "IncrementMod") X(IncrementModInplace_1, "IncrementModInplace") \
  X(Init_1, "Init") X(IoTileCopy, "IoTileCopy") X(IpuCopy, "IpuCopy") X(L1, "L1") \
  X(LambSquare, "LambSquare") X(LeakyReluInplace, "LeakyReluInplace") X(Log1p_1, "Log1p") \
  X(Log1pInplace, "Log1pInplace") X(LogSoftmaxInplace, "LogSoftmaxInplace") \
  X(LossScaleUpdate, "LossScaleUpdate") X(LSTM_1, "LSTM") \
  X(ModifyRandomSeed, "ModifyRandomSeed") X(MulLhsInplace, "MulLhsInplace") \
  X(MulRhsInplace, "MulRhsInplace") X(MultiConv_1, "MultiConv") X(NearbyInt, "NearbyInt") \
  X(NearbyIntInplace, "NearbyIntInplace") X(Nll, "Nll") X(Nop_1, "Nop") \
  X(NormalizeImageOpId, "NormalizeImage") X(PadInplace, "PadInplace") \
  X(PowLhsInplace, "PowLhsInplace") X(PrintTensor_1, "PrintTensor") \
  X(ReduceMedian, "ReduceMedian") X(PackedDataBlock, "PackedDataBlock") \
  X(ReluInplace, "ReluInplace") X(Remainder, "Remainder") X(MultiExchange, "MultiExchange") \
  X(MultiReplicatedAllReduce, "MutliReplicatedAllReduce") \
  X(MultiReplicatedReduceScatter, "MutliReplicatedReduceScatter") \
  X(MultiReplicatedAllGather, "MutliReplicatedAllGather") X(RemoteLoad, "RemoteLoad") \
  X(RemoteLoadInplace, "RemoteLoadInplace") X(RemoteStore, "RemoteStore") \
  X(HostLoad, "HostLoad") X(HostLoadInplace, "HostLoadInplace") X(HostStore, "HostStore") \
  X(RemoteCodeLoad, "RemoteCodeLoad") X(ReplicatedAllGather, "ReplicatedAllGather") \
  X(ReplicatedAllReduce, "ReplicatedAllReduce") \
  X(ReplicatedAllReduceInplace, "ReplicatedAllReduceInplace") \
  X(ReplicatedReduceScatter, "ReplicatedReduceScatter") X(ResetAccumulation, "ResetAccl") \
  X(ReshapeInplace, "ReshapeInplace") X(Reshape_1, "Reshape") X(Resize, "Resize") \
  X(Restore, "Restore") X(RestoreInplace, "RestoreInplace") X(Reverse, "Reverse") \
  X(ReverseInplace, "ReverseInplace") X(RMSPropUpdater, "RMSPropUpdater") X(Round_1, "Round") \
  X(RoundInplace, "RoundInplace") X(Scale_1, "Scale") X(BinaryConstScalar, "BinaryConstScalar") \
  X(ScaledAdd, "ScaledAdd") X(ScaledAddLhsInplace, "ScaledAddLhsInplace") \
  X(ScaledAddRhsInplace, "ScaledAddRhsInplace") X(ScaledVarUpdate, "ScaledVarUpdate") \
  X(ScaleInplace, "ScaleInplace") X(ScatterReduce, "ScatterReduce") \
  X(SeluInplace, "SeluInplace") X(SGD0Combo, "SGD0Combo") X(SGD0VarUpdate, "SGD0VarUpdate") \
  X(SGD1AcclUpdate, "SGD1AcclUpdate") X(SGD1Combo, "SGD1Combo") \
  X(SGD1VarUpdate, "SGD1VarUpdate") X(SGD1Nesterov, "SGD1Nesterov") X(SGD2Combo, "SGD2Combo") \
  X(ShapedDropout_1, "ShapedDropout") X(ShrinkInplace, "ShrinkInplace") \
  X(SigmoidInplace, "SigmoidInplace") X(SignInplace, "SignInplace") \
  X(SinhInplace, "SinhInplace") X(SliceInplace, "SliceInplace") X(Slice_1, "Slice") \
  X(SplineBasis, "SplineBasis") X(SplineWeighting, "SplineWeighting") \
  X(SoftmaxInplace, "SoftmaxInplace") X(SoftPlusInplace, "SoftPlusInplace") \
  X(SoftSignInplace, "SoftSignInplace") X(Sort, "Sort") \
  X(SparseAccumulate, "PopartSparseAccumulate") X(Square, "Square") \
  X(SqueezeInplace, "SqueezeInplace") X(Stash, "Stash") X(Subsample_1, "Subsample") \
  X(SubsampleInplace, "SubsampleInplace") X(Sync, "Sync") X(Swish, "Swish") \
  X(SwishInplace, "SwishInplace") X(ThresholdedReluInplace, "ThresholdedReluInplace") \
  X(TiedGather, "PopartTiedGather") X(TransposeInplace, "TransposeInplace") \
  X(WhereLhsInplace, "WhereLhsInplace") X(WhereRhsInplace, "WhereRhsInplace") \
  X(Zeros_1, "Zeros") X(ZerosLike_1, "ZerosLike") X(Abort, "Abort") X(BitwiseAnd, "BitwiseAnd") \
  X(BitwiseNot, "BitwiseNot") X(BitwiseOr, "BitwiseOr") X(BitwiseXor, "BitwiseXor") \
  X(BitwiseXnor, "BitwiseXnor") X(AllReduce, "AllReduce") X(TensorRemap_1, "TensorRemap")

#define POPART_CUSTOM_GRAD_OPERATORS(X) \
  X(DynamicUpdateToUpdateGrad, "DynamicUpdateToUpdateGrad") \
  X(DynamicUpdateUpdaterGrad, "DynamicUpdateUpdaterGrad") \
  X(NlllWithSoftmaxGradDirect, "NlllWithSoftmaxGradDirect") \
  X(AddBiasBiasGrad, "AddBiasBiasGrad") X(AddBiasDataGrad, "AddBiasDataGrad") \
  X(CallGrad, "CallGrad") X(DynamicSlicePadGrad, "DynamicSlicePadGrad") \
  X(DynamicZeroGrad, "DynamicZeroGrad") X(GroupedGatherGrad, "GroupedGatherGrad") \
  X(IfConditionGrad, "IfConditionGrad") X(IfGrad, "IfGrad") X(L1Grad, "L1Grad") \
  X(NllGrad, "NllGrad") X(CtcGrad, "CtcGrad") X(ReduceMedianGrad, "ReduceMedianGrad") \
  X(ScatterReduceGradOp, "ScatterReduceGradOp") X(SoftmaxGradDirect, "SoftmaxGradDirect") \
  X(SubsampleGrad, "SubsampleGrad") X(SwishGrad, "SwishGrad") \
  X(UnaryZeroGradOp, "UnaryZeroGrad") X(AllReduceGrad, "AllReduceGrad")

// Each row: name of the operator of models, name of the constant in CustomOperators.
#define POPART_OPSET_1_OPERATORS(X) \
  X(Abort, Abort) X(AllReduce, AllReduce) X(Atan2, Atan2_1) \
  X(AutoLossScaleProxy, AutoLossScaleProxy) X(BatchNormalization, BatchNormalization_1) \
  X(BinaryConstScalar, BinaryConstScalar) X(BitwiseAnd, BitwiseAnd) X(BitwiseNot, BitwiseNot) \
  X(BitwiseOr, BitwiseOr) X(BitwiseXnor, BitwiseXnor) X(BitwiseXor, BitwiseXor) \
  X(Bucketize, Bucketize) X(Call, Call_1) X(CastThenPow2Scale, CastThenPow2Scale) \
  X(CopyVarUpdate, CopyVarUpdate) X(Ctc, Ctc) X(CtcBeamSearchDecoder, CtcBeamSearchDecoder) \
  X(DepthToSpace, DepthToSpace) X(Detach, Detach_1) X(DynamicAdd, DynamicAdd_1) \
  X(DynamicSlice, DynamicSlice_1) X(DynamicSliceInplace, DynamicSliceInplace_1) \
  X(DynamicUpdate, DynamicUpdate_1) X(DynamicZero, DynamicZero_1) X(Expm1, Expm1_1) \
  X(Fmod, Fmod) X(Gelu, Gelu_1) X(GeluErf, GeluErf_1) \
  X(GroupNormalization, GroupNormalization_1) X(GroupedGather, GroupedGather) \
  X(IdentityLoss, IdentityLoss) X(IncrementMod, IncrementMod_1) \
  X(IncrementModInplace, IncrementModInplace_1) X(Init, Init_1) X(L1, L1) X(LSTM, LSTM_1) \
  X(Log1p, Log1p_1) X(MultiConv, MultiConv_1) X(NearbyInt, NearbyInt) X(Nll, Nll) X(Nop, Nop_1) \
  X(NormalizeImage, NormalizeImageOpId) X(PackedDataBlock, PackedDataBlock) \
  X(Pow2ScaleThenCast, Pow2ScaleThenCast) X(PrintTensor, PrintTensor_1) \
  X(ReduceMedian, ReduceMedian) X(Remainder, Remainder) \
  X(ReplicatedAllGather, ReplicatedAllGather) X(ReplicatedAllReduce, ReplicatedAllReduce) \
  X(ReplicatedReduceScatter, ReplicatedReduceScatter) X(Reshape, Reshape_1) X(Reverse, Reverse) \
  X(Round, Round_1) X(Scale, Scale_1) X(ScaledAdd, ScaledAdd) X(ScatterReduce, ScatterReduce) \
  X(SequenceSlice, SequenceSlice_1) X(ShapedDropout, ShapedDropout_1) X(Slice, Slice_1) \
  X(Sort, Sort) X(SplineBasis, SplineBasis) X(SplineWeighting, SplineWeighting) \
  X(Subsample, Subsample_1) X(Swish, Swish) X(TensorRemap, TensorRemap_1)
// clang-format on

namespace popart {

/// The opsets of a Builder of PopART that names none.
__attribute__((unused)) static const int64_t defaultAiOnnxOpset = 10;
__attribute__((unused)) static const int64_t defaultAiOnnxMlOpset = 1;
__attribute__((unused)) static const int64_t defaultAiGraphcoreOpset = 1;

/// The identifier of an operator of domain "ai.graphcore", version 1.
struct AiGraphcoreOpIdV1 : public OperatorIdentifier {
  AiGraphcoreOpIdV1(const OpType& type_, NumInputs inputs = {}, int outputs = 0)
      : OperatorIdentifier(Domain::ai_graphcore, type_, 1, inputs, outputs) {}
};

namespace Onnx {

#define POPART_DECLARE(CONSTANT, NAME) extern const AiGraphcoreOpIdV1 CONSTANT;
namespace GradOperators {
POPART_GRAD_OPERATORS(POPART_DECLARE)
}
namespace CustomOperators {
POPART_CUSTOM_OPERATORS(POPART_DECLARE)
}
namespace CustomGradOperators {
POPART_CUSTOM_GRAD_OPERATORS(POPART_DECLARE)
}
#undef POPART_DECLARE

namespace AiGraphcore {
/// The operators of models by their names there.
namespace OpSet1 {
#define POPART_NAME(NAME, CONSTANT) \
  __attribute__((unused)) static const OperatorIdentifier& NAME = CustomOperators::CONSTANT;
POPART_OPSET_1_OPERATORS(POPART_NAME)
#undef POPART_NAME
}  // namespace OpSet1
}  // namespace AiGraphcore

}  // namespace Onnx
}  // namespace popart

#pragma GCC visibility pop

#endif
