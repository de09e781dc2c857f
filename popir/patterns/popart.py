"""PopART's pattern names: those with two spellings, and those that popir does not need."""

ALIASES = {
    "SoftmaxGradDirect": "SoftMaxGradDirect",
    "NlllWithSoftmaxGradDirect": "NlllWithSoftMaxGradDirect",
    "TiedGatherPattern": "TiedGather",
    "TiedGatherAccumulatePattern": "TiedGatherAccumulate",
}
"""PopART's C++ spelling of a name to that of its Python attributes, which popir uses."""

_DERIVED = "the gradient of an element-wise operator is one expression, derived from its own"
_LOWERED = "the operator is lowered as it is"
_VIEW = "that is a view of memory here, which costs nothing"
_GRADIENT = "the gradient is an operator that is lowered as it is"
_PLANNED = "the library of contractions chooses layouts, groups and transposes by itself"
_LOOP = "Loop and Scan are one operator, which collects its results itself"
_REPLICAS = "a collective over one replica is there only if the model says so"
_UPDATES = "an optimizer's update is one operator, which holds its accumulators"

NOT_HERE = {
    **dict.fromkeys(
        "SubtractArg1GradOp MulArgGradOp ReciprocalGradOp DivArg0GradOp DivArg1GradOp "
        "PowArg0GradOp PowArg1GradOp SinGradOp CosGradOp ExpGradOp Expm1GradOp LogGradOp "
        "Log1pGradOp SqrtGradOp AbsGradOp FmodArg0GradOp Atan2Arg0GradOp Atan2Arg1GradOp".split(),
        _DERIVED,
    ),
    **dict.fromkeys(
        "TanToSinOverCos CoshOp LogSoftmaxOp GemmDecomposition LSTMOp RNNOp SumToAdd "
        "UpsampleToResize PackedDataBlock".split(),
        _LOWERED,
    ),
    **dict.fromkeys(
        "SplitOp Slice2SliceSubsample TransposeToIdentityOrReshapePattern".split(), _VIEW
    ),
    **dict.fromkeys(
        "SplitGradOpToConcat ConvDataGrad ConvTranspose MatMulLhsGradOp MatMulRhsGradOp".split(),
        _GRADIENT,
    ),
    **dict.fromkeys(
        "MatMulOp FoldMatMul ConvFlipWeightsDoubleFlip ConvFlipWeightsGradOp".split(), _PLANNED
    ),
    **dict.fromkeys("LoopScanOut ScanToLoop".split(), _LOOP),
    **dict.fromkeys("AllReduceToIdentity ContiguateIpuCopyIndices".split(), _REPLICAS),
    **dict.fromkeys("InitAccumulate SGD1Decompose LambSerialisedWeight".split(), _UPDATES),
    **dict.fromkeys(
        "ZerosLikeOpPattern RandomNormalLikeOpPattern RandomUniformLikeOpPattern".split(),
        "shapes are known when the operator is made",
    ),
    "SplitGather": "a Gather of any size is one operator, whose memory is planned as a whole",
    "DecomposeBinaryConstScalar": "a scalar is broadcast as a view, and fused into one pass",
    "NegativeOneScale": "a Scale of -1 and a Neg are one pass each",
    "UpdateInplacePrioritiesForIpu": "priorities of in-place variants do not depend on the device",
    "RemoveUnnecessaryLossGradCast": "the loss's gradient has the loss's type",
}
"""PopART's patterns that popir does not have, with the reason. The reason completes "has no meaning
here: ...".
"""
