// popart/onnxoperators.gen.hpp: identifiers of ONNX's operators, one for each version of each.
// clang-format off
// Written by cpp/popart/gen_onnxoperators.py from the schemas of onnx; do not edit.
// Long, because ONNX is.
#ifndef popart_onnxoperators_gen_hpp
#define popart_onnxoperators_gen_hpp

#include <popart/operatoridentifier.hpp>

#pragma GCC visibility push(default)

// Each row: name, since-version, least and most inputs, outputs.
#define POPART_ONNX_OPERATORS(X) \
  X(Abs, 1, 1, 1, 1) X(Abs, 6, 1, 1, 1) X(Abs, 13, 1, 1, 1) X(Acos, 7, 1, 1, 1) \
  X(Acos, 22, 1, 1, 1) X(Acosh, 9, 1, 1, 1) X(Acosh, 22, 1, 1, 1) X(Add, 1, 2, 2, 1) \
  X(Add, 6, 2, 2, 1) X(Add, 7, 2, 2, 1) X(Add, 13, 2, 2, 1) X(Add, 14, 2, 2, 1) \
  X(AffineGrid, 20, 2, 2, 1) X(And, 1, 2, 2, 1) X(And, 7, 2, 2, 1) X(ArgMax, 1, 1, 1, 1) \
  X(ArgMax, 11, 1, 1, 1) X(ArgMax, 12, 1, 1, 1) X(ArgMax, 13, 1, 1, 1) X(ArgMin, 1, 1, 1, 1) \
  X(ArgMin, 11, 1, 1, 1) X(ArgMin, 12, 1, 1, 1) X(ArgMin, 13, 1, 1, 1) X(Asin, 7, 1, 1, 1) \
  X(Asin, 22, 1, 1, 1) X(Asinh, 9, 1, 1, 1) X(Asinh, 22, 1, 1, 1) X(Atan, 7, 1, 1, 1) \
  X(Atan, 22, 1, 1, 1) X(Atanh, 9, 1, 1, 1) X(Atanh, 22, 1, 1, 1) X(Attention, 23, 3, 6, 4) \
  X(Attention, 24, 3, 7, 4) X(Attention, 25, 3, 7, 4) X(AveragePool, 1, 1, 1, 1) \
  X(AveragePool, 7, 1, 1, 1) X(AveragePool, 10, 1, 1, 1) X(AveragePool, 11, 1, 1, 1) \
  X(AveragePool, 19, 1, 1, 1) X(AveragePool, 22, 1, 1, 1) X(BatchNormalization, 1, 5, 5, 5) \
  X(BatchNormalization, 6, 5, 5, 5) X(BatchNormalization, 7, 5, 5, 5) \
  X(BatchNormalization, 9, 5, 5, 5) X(BatchNormalization, 14, 5, 5, 3) \
  X(BatchNormalization, 15, 5, 5, 3) X(Bernoulli, 15, 1, 1, 1) X(Bernoulli, 22, 1, 1, 1) \
  X(BitCast, 26, 1, 1, 1) X(BitShift, 11, 2, 2, 1) X(BitShift, 28, 2, 2, 1) \
  X(BitwiseAnd, 18, 2, 2, 1) X(BitwiseNot, 18, 1, 1, 1) X(BitwiseOr, 18, 2, 2, 1) \
  X(BitwiseXor, 18, 2, 2, 1) X(BlackmanWindow, 17, 1, 1, 1) X(Cast, 1, 1, 1, 1) \
  X(Cast, 6, 1, 1, 1) X(Cast, 9, 1, 1, 1) X(Cast, 13, 1, 1, 1) X(Cast, 19, 1, 1, 1) \
  X(Cast, 21, 1, 1, 1) X(Cast, 23, 1, 1, 1) X(Cast, 24, 1, 1, 1) X(Cast, 25, 1, 1, 1) \
  X(Cast, 28, 1, 1, 1) X(CastLike, 15, 2, 2, 1) X(CastLike, 19, 2, 2, 1) X(CastLike, 21, 2, 2, 1) \
  X(CastLike, 23, 2, 2, 1) X(CastLike, 24, 2, 2, 1) X(CastLike, 25, 2, 2, 1) \
  X(CausalConvWithState, 27, 2, 4, 2) X(Ceil, 1, 1, 1, 1) X(Ceil, 6, 1, 1, 1) X(Ceil, 13, 1, 1, 1) \
  X(Celu, 12, 1, 1, 1) X(Celu, 28, 1, 1, 1) X(CenterCropPad, 18, 2, 2, 1) X(Clip, 1, 1, 1, 1) \
  X(Clip, 6, 1, 1, 1) X(Clip, 11, 1, 3, 1) X(Clip, 12, 1, 3, 1) X(Clip, 13, 1, 3, 1) \
  X(Col2Im, 18, 3, 3, 1) X(Compress, 9, 2, 2, 1) X(Compress, 11, 2, 2, 1) X(Compress, 28, 2, 2, 1) \
  X(Concat, 1, 1, 2147483647, 1) X(Concat, 4, 1, 2147483647, 1) X(Concat, 11, 1, 2147483647, 1) \
  X(Concat, 13, 1, 2147483647, 1) X(ConcatFromSequence, 11, 1, 1, 1) X(Constant, 1, 0, 0, 1) \
  X(Constant, 9, 0, 0, 1) X(Constant, 11, 0, 0, 1) X(Constant, 12, 0, 0, 1) \
  X(Constant, 13, 0, 0, 1) X(Constant, 19, 0, 0, 1) X(Constant, 21, 0, 0, 1) \
  X(Constant, 23, 0, 0, 1) X(Constant, 24, 0, 0, 1) X(Constant, 25, 0, 0, 1) \
  X(ConstantOfShape, 9, 1, 1, 1) X(ConstantOfShape, 20, 1, 1, 1) X(ConstantOfShape, 21, 1, 1, 1) \
  X(ConstantOfShape, 23, 1, 1, 1) X(ConstantOfShape, 24, 1, 1, 1) X(ConstantOfShape, 25, 1, 1, 1) \
  X(Conv, 1, 2, 3, 1) X(Conv, 11, 2, 3, 1) X(Conv, 22, 2, 3, 1) X(ConvInteger, 10, 2, 4, 1) \
  X(ConvTranspose, 1, 2, 3, 1) X(ConvTranspose, 11, 2, 3, 1) X(ConvTranspose, 22, 2, 3, 1) \
  X(Cos, 7, 1, 1, 1) X(Cos, 22, 1, 1, 1) X(Cosh, 9, 1, 1, 1) X(Cosh, 22, 1, 1, 1) \
  X(CumProd, 26, 2, 2, 1) X(CumSum, 11, 2, 2, 1) X(CumSum, 14, 2, 2, 1) X(DFT, 17, 1, 2, 1) \
  X(DFT, 20, 1, 3, 1) X(DeformConv, 19, 3, 5, 1) X(DeformConv, 22, 3, 5, 1) \
  X(DepthToSpace, 1, 1, 1, 1) X(DepthToSpace, 11, 1, 1, 1) X(DepthToSpace, 13, 1, 1, 1) \
  X(DepthToSpace, 28, 1, 1, 1) X(DequantizeLinear, 10, 2, 3, 1) X(DequantizeLinear, 13, 2, 3, 1) \
  X(DequantizeLinear, 19, 2, 3, 1) X(DequantizeLinear, 21, 2, 3, 1) \
  X(DequantizeLinear, 23, 2, 3, 1) X(DequantizeLinear, 24, 2, 3, 1) \
  X(DequantizeLinear, 25, 2, 3, 1) X(DequantizeLinear, 28, 2, 3, 1) X(Det, 11, 1, 1, 1) \
  X(Det, 22, 1, 1, 1) X(Div, 1, 2, 2, 1) X(Div, 6, 2, 2, 1) X(Div, 7, 2, 2, 1) X(Div, 13, 2, 2, 1) \
  X(Div, 14, 2, 2, 1) X(Dropout, 1, 1, 1, 2) X(Dropout, 6, 1, 1, 2) X(Dropout, 7, 1, 1, 2) \
  X(Dropout, 10, 1, 1, 2) X(Dropout, 12, 1, 3, 2) X(Dropout, 13, 1, 3, 2) X(Dropout, 22, 1, 3, 2) \
  X(DynamicQuantizeLinear, 11, 1, 1, 3) X(Einsum, 12, 1, 2147483647, 1) \
  X(Einsum, 28, 1, 2147483647, 1) X(Elu, 1, 1, 1, 1) X(Elu, 6, 1, 1, 1) X(Elu, 22, 1, 1, 1) \
  X(Equal, 1, 2, 2, 1) X(Equal, 7, 2, 2, 1) X(Equal, 11, 2, 2, 1) X(Equal, 13, 2, 2, 1) \
  X(Equal, 19, 2, 2, 1) X(Erf, 9, 1, 1, 1) X(Erf, 13, 1, 1, 1) X(Exp, 1, 1, 1, 1) \
  X(Exp, 6, 1, 1, 1) X(Exp, 13, 1, 1, 1) X(Expand, 8, 2, 2, 1) X(Expand, 13, 2, 2, 1) \
  X(EyeLike, 9, 1, 1, 1) X(EyeLike, 22, 1, 1, 1) X(Flatten, 1, 1, 1, 1) X(Flatten, 9, 1, 1, 1) \
  X(Flatten, 11, 1, 1, 1) X(Flatten, 13, 1, 1, 1) X(Flatten, 21, 1, 1, 1) X(Flatten, 23, 1, 1, 1) \
  X(Flatten, 24, 1, 1, 1) X(Flatten, 25, 1, 1, 1) X(Floor, 1, 1, 1, 1) X(Floor, 6, 1, 1, 1) \
  X(Floor, 13, 1, 1, 1) X(GRU, 1, 3, 6, 2) X(GRU, 3, 3, 6, 2) X(GRU, 7, 3, 6, 2) \
  X(GRU, 14, 3, 6, 2) X(GRU, 22, 3, 6, 2) X(Gather, 1, 2, 2, 1) X(Gather, 11, 2, 2, 1) \
  X(Gather, 13, 2, 2, 1) X(GatherElements, 11, 2, 2, 1) X(GatherElements, 13, 2, 2, 1) \
  X(GatherND, 11, 2, 2, 1) X(GatherND, 12, 2, 2, 1) X(GatherND, 13, 2, 2, 1) X(Gelu, 20, 1, 1, 1) \
  X(Gemm, 1, 3, 3, 1) X(Gemm, 6, 3, 3, 1) X(Gemm, 7, 3, 3, 1) X(Gemm, 9, 3, 3, 1) \
  X(Gemm, 11, 2, 3, 1) X(Gemm, 13, 2, 3, 1) X(GlobalAveragePool, 1, 1, 1, 1) \
  X(GlobalAveragePool, 22, 1, 1, 1) X(GlobalLpPool, 1, 1, 1, 1) X(GlobalLpPool, 2, 1, 1, 1) \
  X(GlobalLpPool, 22, 1, 1, 1) X(GlobalMaxPool, 1, 1, 1, 1) X(GlobalMaxPool, 22, 1, 1, 1) \
  X(Greater, 1, 2, 2, 1) X(Greater, 7, 2, 2, 1) X(Greater, 9, 2, 2, 1) X(Greater, 13, 2, 2, 1) \
  X(GreaterOrEqual, 12, 2, 2, 1) X(GreaterOrEqual, 16, 2, 2, 1) X(GridSample, 16, 2, 2, 1) \
  X(GridSample, 20, 2, 2, 1) X(GridSample, 22, 2, 2, 1) X(GroupNormalization, 21, 3, 3, 1) \
  X(HammingWindow, 17, 1, 1, 1) X(HannWindow, 17, 1, 1, 1) X(HardSigmoid, 1, 1, 1, 1) \
  X(HardSigmoid, 6, 1, 1, 1) X(HardSigmoid, 22, 1, 1, 1) X(HardSwish, 14, 1, 1, 1) \
  X(HardSwish, 22, 1, 1, 1) X(Hardmax, 1, 1, 1, 1) X(Hardmax, 11, 1, 1, 1) X(Hardmax, 13, 1, 1, 1) \
  X(Identity, 1, 1, 1, 1) X(Identity, 13, 1, 1, 1) X(Identity, 14, 1, 1, 1) \
  X(Identity, 16, 1, 1, 1) X(Identity, 19, 1, 1, 1) X(Identity, 21, 1, 1, 1) \
  X(Identity, 23, 1, 1, 1) X(Identity, 24, 1, 1, 1) X(Identity, 25, 1, 1, 1) \
  X(If, 1, 1, 1, 2147483647) X(If, 11, 1, 1, 2147483647) X(If, 13, 1, 1, 2147483647) \
  X(If, 16, 1, 1, 2147483647) X(If, 19, 1, 1, 2147483647) X(If, 21, 1, 1, 2147483647) \
  X(If, 23, 1, 1, 2147483647) X(If, 24, 1, 1, 2147483647) X(If, 25, 1, 1, 2147483647) \
  X(ImageDecoder, 20, 1, 1, 1) X(InstanceNormalization, 1, 3, 3, 1) \
  X(InstanceNormalization, 6, 3, 3, 1) X(InstanceNormalization, 22, 3, 3, 1) X(IsInf, 10, 1, 1, 1) \
  X(IsInf, 20, 1, 1, 1) X(IsNaN, 9, 1, 1, 1) X(IsNaN, 13, 1, 1, 1) X(IsNaN, 20, 1, 1, 1) \
  X(LRN, 1, 1, 1, 1) X(LRN, 13, 1, 1, 1) X(LSTM, 1, 3, 8, 3) X(LSTM, 7, 3, 8, 3) \
  X(LSTM, 14, 3, 8, 3) X(LSTM, 22, 3, 8, 3) X(LayerNormalization, 17, 2, 3, 3) \
  X(LeakyRelu, 1, 1, 1, 1) X(LeakyRelu, 6, 1, 1, 1) X(LeakyRelu, 16, 1, 1, 1) X(Less, 1, 2, 2, 1) \
  X(Less, 7, 2, 2, 1) X(Less, 9, 2, 2, 1) X(Less, 13, 2, 2, 1) X(LessOrEqual, 12, 2, 2, 1) \
  X(LessOrEqual, 16, 2, 2, 1) X(LinearAttention, 27, 3, 6, 2) X(Log, 1, 1, 1, 1) \
  X(Log, 6, 1, 1, 1) X(Log, 13, 1, 1, 1) X(LogSoftmax, 1, 1, 1, 1) X(LogSoftmax, 11, 1, 1, 1) \
  X(LogSoftmax, 13, 1, 1, 1) X(Loop, 1, 3, 2147483647, 2147483647) \
  X(Loop, 11, 2, 2147483647, 2147483647) X(Loop, 13, 2, 2147483647, 2147483647) \
  X(Loop, 16, 2, 2147483647, 2147483647) X(Loop, 19, 2, 2147483647, 2147483647) \
  X(Loop, 21, 2, 2147483647, 2147483647) X(Loop, 23, 2, 2147483647, 2147483647) \
  X(Loop, 24, 2, 2147483647, 2147483647) X(Loop, 25, 2, 2147483647, 2147483647) \
  X(LpNormalization, 1, 1, 1, 1) X(LpNormalization, 22, 1, 1, 1) X(LpPool, 1, 1, 1, 1) \
  X(LpPool, 2, 1, 1, 1) X(LpPool, 11, 1, 1, 1) X(LpPool, 18, 1, 1, 1) X(LpPool, 22, 1, 1, 1) \
  X(MatMul, 1, 2, 2, 1) X(MatMul, 9, 2, 2, 1) X(MatMul, 13, 2, 2, 1) X(MatMulInteger, 10, 2, 4, 1) \
  X(Max, 1, 1, 2147483647, 1) X(Max, 6, 1, 2147483647, 1) X(Max, 8, 1, 2147483647, 1) \
  X(Max, 12, 1, 2147483647, 1) X(Max, 13, 1, 2147483647, 1) X(MaxPool, 1, 1, 1, 1) \
  X(MaxPool, 8, 1, 1, 2) X(MaxPool, 10, 1, 1, 2) X(MaxPool, 11, 1, 1, 2) X(MaxPool, 12, 1, 1, 2) \
  X(MaxPool, 22, 1, 1, 2) X(MaxRoiPool, 1, 2, 2, 1) X(MaxRoiPool, 22, 2, 2, 1) \
  X(MaxUnpool, 9, 2, 3, 1) X(MaxUnpool, 11, 2, 3, 1) X(MaxUnpool, 22, 2, 3, 1) \
  X(Mean, 1, 1, 2147483647, 1) X(Mean, 6, 1, 2147483647, 1) X(Mean, 8, 1, 2147483647, 1) \
  X(Mean, 13, 1, 2147483647, 1) X(MeanVarianceNormalization, 9, 1, 1, 1) \
  X(MeanVarianceNormalization, 13, 1, 1, 1) X(MelWeightMatrix, 17, 5, 5, 1) \
  X(Min, 1, 1, 2147483647, 1) X(Min, 6, 1, 2147483647, 1) X(Min, 8, 1, 2147483647, 1) \
  X(Min, 12, 1, 2147483647, 1) X(Min, 13, 1, 2147483647, 1) X(Mish, 18, 1, 1, 1) \
  X(Mish, 22, 1, 1, 1) X(Mod, 10, 2, 2, 1) X(Mod, 13, 2, 2, 1) X(Mod, 28, 2, 2, 1) \
  X(Mul, 1, 2, 2, 1) X(Mul, 6, 2, 2, 1) X(Mul, 7, 2, 2, 1) X(Mul, 13, 2, 2, 1) X(Mul, 14, 2, 2, 1) \
  X(Multinomial, 7, 1, 1, 1) X(Multinomial, 22, 1, 1, 1) X(Neg, 1, 1, 1, 1) X(Neg, 6, 1, 1, 1) \
  X(Neg, 13, 1, 1, 1) X(NegativeLogLikelihoodLoss, 12, 2, 3, 1) \
  X(NegativeLogLikelihoodLoss, 13, 2, 3, 1) X(NegativeLogLikelihoodLoss, 22, 2, 3, 1) \
  X(NonMaxSuppression, 10, 2, 5, 1) X(NonMaxSuppression, 11, 2, 5, 1) X(NonZero, 9, 1, 1, 1) \
  X(NonZero, 13, 1, 1, 1) X(Not, 1, 1, 1, 1) X(OneHot, 9, 3, 3, 1) X(OneHot, 11, 3, 3, 1) \
  X(OneHot, 28, 3, 3, 1) X(Optional, 15, 0, 1, 1) X(Optional, 28, 0, 1, 1) \
  X(OptionalGetElement, 15, 1, 1, 1) X(OptionalGetElement, 18, 1, 1, 1) \
  X(OptionalGetElement, 28, 1, 1, 1) X(OptionalHasElement, 15, 1, 1, 1) \
  X(OptionalHasElement, 18, 0, 1, 1) X(OptionalHasElement, 28, 0, 1, 1) X(Or, 1, 2, 2, 1) \
  X(Or, 7, 2, 2, 1) X(PRelu, 1, 2, 2, 1) X(PRelu, 6, 2, 2, 1) X(PRelu, 7, 2, 2, 1) \
  X(PRelu, 9, 2, 2, 1) X(PRelu, 16, 2, 2, 1) X(Pad, 1, 1, 1, 1) X(Pad, 2, 1, 1, 1) \
  X(Pad, 11, 2, 3, 1) X(Pad, 13, 2, 3, 1) X(Pad, 18, 2, 4, 1) X(Pad, 19, 2, 4, 1) \
  X(Pad, 21, 2, 4, 1) X(Pad, 23, 2, 4, 1) X(Pad, 24, 2, 4, 1) X(Pad, 25, 2, 4, 1) \
  X(Pow, 1, 2, 2, 1) X(Pow, 7, 2, 2, 1) X(Pow, 12, 2, 2, 1) X(Pow, 13, 2, 2, 1) \
  X(Pow, 15, 2, 2, 1) X(QLinearConv, 10, 8, 9, 1) X(QLinearMatMul, 10, 8, 8, 1) \
  X(QLinearMatMul, 21, 8, 8, 1) X(QuantizeLinear, 10, 2, 3, 1) X(QuantizeLinear, 13, 2, 3, 1) \
  X(QuantizeLinear, 19, 2, 3, 1) X(QuantizeLinear, 21, 2, 3, 1) X(QuantizeLinear, 23, 2, 3, 1) \
  X(QuantizeLinear, 24, 2, 3, 1) X(QuantizeLinear, 25, 2, 3, 1) X(QuantizeLinear, 28, 2, 3, 1) \
  X(RMSNormalization, 23, 2, 2, 1) X(RNN, 1, 3, 6, 2) X(RNN, 7, 3, 6, 2) X(RNN, 14, 3, 6, 2) \
  X(RNN, 22, 3, 6, 2) X(RandomNormal, 1, 0, 0, 1) X(RandomNormal, 22, 0, 0, 1) \
  X(RandomNormalLike, 1, 1, 1, 1) X(RandomNormalLike, 22, 1, 1, 1) X(RandomUniform, 1, 0, 0, 1) \
  X(RandomUniform, 22, 0, 0, 1) X(RandomUniformLike, 1, 1, 1, 1) X(RandomUniformLike, 22, 1, 1, 1) \
  X(Range, 11, 3, 3, 1) X(Range, 27, 3, 3, 1) X(Reciprocal, 1, 1, 1, 1) X(Reciprocal, 6, 1, 1, 1) \
  X(Reciprocal, 13, 1, 1, 1) X(ReduceL1, 1, 1, 1, 1) X(ReduceL1, 11, 1, 1, 1) \
  X(ReduceL1, 13, 1, 1, 1) X(ReduceL1, 18, 1, 2, 1) X(ReduceL2, 1, 1, 1, 1) \
  X(ReduceL2, 11, 1, 1, 1) X(ReduceL2, 13, 1, 1, 1) X(ReduceL2, 18, 1, 2, 1) \
  X(ReduceLogSum, 1, 1, 1, 1) X(ReduceLogSum, 11, 1, 1, 1) X(ReduceLogSum, 13, 1, 1, 1) \
  X(ReduceLogSum, 18, 1, 2, 1) X(ReduceLogSum, 28, 1, 2, 1) X(ReduceLogSumExp, 1, 1, 1, 1) \
  X(ReduceLogSumExp, 11, 1, 1, 1) X(ReduceLogSumExp, 13, 1, 1, 1) X(ReduceLogSumExp, 18, 1, 2, 1) \
  X(ReduceLogSumExp, 28, 1, 2, 1) X(ReduceMax, 1, 1, 1, 1) X(ReduceMax, 11, 1, 1, 1) \
  X(ReduceMax, 12, 1, 1, 1) X(ReduceMax, 13, 1, 1, 1) X(ReduceMax, 18, 1, 2, 1) \
  X(ReduceMax, 20, 1, 2, 1) X(ReduceMean, 1, 1, 1, 1) X(ReduceMean, 11, 1, 1, 1) \
  X(ReduceMean, 13, 1, 1, 1) X(ReduceMean, 18, 1, 2, 1) X(ReduceMin, 1, 1, 1, 1) \
  X(ReduceMin, 11, 1, 1, 1) X(ReduceMin, 12, 1, 1, 1) X(ReduceMin, 13, 1, 1, 1) \
  X(ReduceMin, 18, 1, 2, 1) X(ReduceMin, 20, 1, 2, 1) X(ReduceProd, 1, 1, 1, 1) \
  X(ReduceProd, 11, 1, 1, 1) X(ReduceProd, 13, 1, 1, 1) X(ReduceProd, 18, 1, 2, 1) \
  X(ReduceSum, 1, 1, 1, 1) X(ReduceSum, 11, 1, 1, 1) X(ReduceSum, 13, 1, 2, 1) \
  X(ReduceSumSquare, 1, 1, 1, 1) X(ReduceSumSquare, 11, 1, 1, 1) X(ReduceSumSquare, 13, 1, 1, 1) \
  X(ReduceSumSquare, 18, 1, 2, 1) X(RegexFullMatch, 20, 1, 1, 1) X(Relu, 1, 1, 1, 1) \
  X(Relu, 6, 1, 1, 1) X(Relu, 13, 1, 1, 1) X(Relu, 14, 1, 1, 1) X(Reshape, 1, 1, 1, 1) \
  X(Reshape, 5, 2, 2, 1) X(Reshape, 13, 2, 2, 1) X(Reshape, 14, 2, 2, 1) X(Reshape, 19, 2, 2, 1) \
  X(Reshape, 21, 2, 2, 1) X(Reshape, 23, 2, 2, 1) X(Reshape, 24, 2, 2, 1) X(Reshape, 25, 2, 2, 1) \
  X(Resize, 10, 2, 2, 1) X(Resize, 11, 3, 4, 1) X(Resize, 13, 1, 4, 1) X(Resize, 18, 1, 4, 1) \
  X(Resize, 19, 1, 4, 1) X(ReverseSequence, 10, 2, 2, 1) X(ReverseSequence, 28, 2, 2, 1) \
  X(RoiAlign, 10, 3, 3, 1) X(RoiAlign, 16, 3, 3, 1) X(RoiAlign, 22, 3, 3, 1) \
  X(RotaryEmbedding, 23, 3, 4, 1) X(Round, 11, 1, 1, 1) X(Round, 22, 1, 1, 1) X(STFT, 17, 2, 4, 1) \
  X(Scan, 8, 2, 2147483647, 2147483647) X(Scan, 9, 1, 2147483647, 2147483647) \
  X(Scan, 11, 1, 2147483647, 2147483647) X(Scan, 16, 1, 2147483647, 2147483647) \
  X(Scan, 19, 1, 2147483647, 2147483647) X(Scan, 21, 1, 2147483647, 2147483647) \
  X(Scan, 23, 1, 2147483647, 2147483647) X(Scan, 24, 1, 2147483647, 2147483647) \
  X(Scan, 25, 1, 2147483647, 2147483647) X(Scatter, 9, 3, 3, 1) X(ScatterElements, 11, 3, 3, 1) \
  X(ScatterElements, 13, 3, 3, 1) X(ScatterElements, 16, 3, 3, 1) X(ScatterElements, 18, 3, 3, 1) \
  X(ScatterND, 11, 3, 3, 1) X(ScatterND, 13, 3, 3, 1) X(ScatterND, 16, 3, 3, 1) \
  X(ScatterND, 18, 3, 3, 1) X(Selu, 1, 1, 1, 1) X(Selu, 6, 1, 1, 1) X(Selu, 22, 1, 1, 1) \
  X(SequenceAt, 11, 2, 2, 1) X(SequenceConstruct, 11, 1, 2147483647, 1) \
  X(SequenceEmpty, 11, 0, 0, 1) X(SequenceErase, 11, 1, 2, 1) X(SequenceInsert, 11, 2, 3, 1) \
  X(SequenceLength, 11, 1, 1, 1) X(SequenceMap, 17, 1, 2147483647, 2147483647) \
  X(Shape, 1, 1, 1, 1) X(Shape, 13, 1, 1, 1) X(Shape, 15, 1, 1, 1) X(Shape, 19, 1, 1, 1) \
  X(Shape, 21, 1, 1, 1) X(Shape, 23, 1, 1, 1) X(Shape, 24, 1, 1, 1) X(Shape, 25, 1, 1, 1) \
  X(Shrink, 9, 1, 1, 1) X(Sigmoid, 1, 1, 1, 1) X(Sigmoid, 6, 1, 1, 1) X(Sigmoid, 13, 1, 1, 1) \
  X(Sign, 9, 1, 1, 1) X(Sign, 13, 1, 1, 1) X(Sin, 7, 1, 1, 1) X(Sin, 22, 1, 1, 1) \
  X(Sinh, 9, 1, 1, 1) X(Sinh, 22, 1, 1, 1) X(Size, 1, 1, 1, 1) X(Size, 13, 1, 1, 1) \
  X(Size, 19, 1, 1, 1) X(Size, 21, 1, 1, 1) X(Size, 23, 1, 1, 1) X(Size, 24, 1, 1, 1) \
  X(Size, 25, 1, 1, 1) X(Slice, 1, 1, 1, 1) X(Slice, 10, 3, 5, 1) X(Slice, 11, 3, 5, 1) \
  X(Slice, 13, 3, 5, 1) X(Softmax, 1, 1, 1, 1) X(Softmax, 11, 1, 1, 1) X(Softmax, 13, 1, 1, 1) \
  X(SoftmaxCrossEntropyLoss, 12, 2, 3, 2) X(SoftmaxCrossEntropyLoss, 13, 2, 3, 2) \
  X(Softplus, 1, 1, 1, 1) X(Softplus, 22, 1, 1, 1) X(Softsign, 1, 1, 1, 1) \
  X(Softsign, 22, 1, 1, 1) X(SpaceToDepth, 1, 1, 1, 1) X(SpaceToDepth, 13, 1, 1, 1) \
  X(SpaceToDepth, 28, 1, 1, 1) X(Split, 1, 1, 2, 2147483647) X(Split, 2, 1, 1, 2147483647) \
  X(Split, 11, 1, 1, 2147483647) X(Split, 13, 1, 2, 2147483647) X(Split, 18, 1, 2, 2147483647) \
  X(SplitToSequence, 11, 1, 2, 1) X(SplitToSequence, 24, 1, 2, 1) X(Sqrt, 1, 1, 1, 1) \
  X(Sqrt, 6, 1, 1, 1) X(Sqrt, 13, 1, 1, 1) X(Squeeze, 1, 1, 1, 1) X(Squeeze, 11, 1, 1, 1) \
  X(Squeeze, 13, 1, 2, 1) X(Squeeze, 21, 1, 2, 1) X(Squeeze, 23, 1, 2, 1) X(Squeeze, 24, 1, 2, 1) \
  X(Squeeze, 25, 1, 2, 1) X(StringConcat, 20, 2, 2, 1) X(StringNormalizer, 10, 1, 1, 1) \
  X(StringSplit, 20, 1, 1, 2) X(Sub, 1, 2, 2, 1) X(Sub, 6, 2, 2, 1) X(Sub, 7, 2, 2, 1) \
  X(Sub, 13, 2, 2, 1) X(Sub, 14, 2, 2, 1) X(Sum, 1, 1, 2147483647, 1) X(Sum, 6, 1, 2147483647, 1) \
  X(Sum, 8, 1, 2147483647, 1) X(Sum, 13, 1, 2147483647, 1) X(SwiGLU, 28, 2, 2, 1) \
  X(Swish, 24, 1, 1, 1) X(Tan, 7, 1, 1, 1) X(Tan, 22, 1, 1, 1) X(Tanh, 1, 1, 1, 1) \
  X(Tanh, 6, 1, 1, 1) X(Tanh, 13, 1, 1, 1) X(TensorScatter, 24, 2, 3, 1) \
  X(TfIdfVectorizer, 9, 1, 1, 1) X(ThresholdedRelu, 10, 1, 1, 1) X(ThresholdedRelu, 22, 1, 1, 1) \
  X(Tile, 1, 3, 3, 1) X(Tile, 6, 2, 2, 1) X(Tile, 13, 2, 2, 1) X(TopK, 1, 1, 1, 2) \
  X(TopK, 10, 2, 2, 2) X(TopK, 11, 2, 2, 2) X(TopK, 24, 2, 2, 2) X(Transpose, 1, 1, 1, 1) \
  X(Transpose, 13, 1, 1, 1) X(Transpose, 21, 1, 1, 1) X(Transpose, 23, 1, 1, 1) \
  X(Transpose, 24, 1, 1, 1) X(Transpose, 25, 1, 1, 1) X(Trilu, 14, 1, 2, 1) X(Unique, 11, 1, 1, 4) \
  X(Unique, 28, 1, 1, 4) X(Unsqueeze, 1, 1, 1, 1) X(Unsqueeze, 11, 1, 1, 1) \
  X(Unsqueeze, 13, 2, 2, 1) X(Unsqueeze, 21, 2, 2, 1) X(Unsqueeze, 23, 2, 2, 1) \
  X(Unsqueeze, 24, 2, 2, 1) X(Unsqueeze, 25, 2, 2, 1) X(Upsample, 1, 1, 1, 1) \
  X(Upsample, 7, 1, 1, 1) X(Upsample, 9, 2, 2, 1) X(Where, 9, 3, 3, 1) X(Where, 16, 3, 3, 1) \
  X(Xor, 1, 2, 2, 1) X(Xor, 7, 2, 2, 1)

namespace popart {
namespace Onnx {

namespace Operators {
#define POPART_DECLARE(NAME, VERSION, ...) extern const OperatorIdentifier NAME##_##VERSION;
POPART_ONNX_OPERATORS(POPART_DECLARE)
#undef POPART_DECLARE
}  // namespace Operators

namespace AiOnnx {
#define POPART_SAME(NAME, VERSION) \
  static const OperatorIdentifier& NAME __attribute__((unused)) = Operators::NAME##_##VERSION;
namespace OpSet6 {
  POPART_SAME(Abs, 6) POPART_SAME(Add, 6) POPART_SAME(And, 1) POPART_SAME(ArgMax, 1)
  POPART_SAME(ArgMin, 1) POPART_SAME(AveragePool, 1) POPART_SAME(BatchNormalization, 6)
  POPART_SAME(Cast, 6) POPART_SAME(Ceil, 6) POPART_SAME(Clip, 6) POPART_SAME(Concat, 4)
  POPART_SAME(Constant, 1) POPART_SAME(Conv, 1) POPART_SAME(ConvTranspose, 1)
  POPART_SAME(DepthToSpace, 1) POPART_SAME(Div, 6) POPART_SAME(Dropout, 6) POPART_SAME(Elu, 6)
  POPART_SAME(Equal, 1) POPART_SAME(Exp, 6) POPART_SAME(Flatten, 1) POPART_SAME(Floor, 6)
  POPART_SAME(GRU, 3) POPART_SAME(Gather, 1) POPART_SAME(Gemm, 6)
  POPART_SAME(GlobalAveragePool, 1) POPART_SAME(GlobalLpPool, 2) POPART_SAME(GlobalMaxPool, 1)
  POPART_SAME(Greater, 1) POPART_SAME(HardSigmoid, 6) POPART_SAME(Hardmax, 1)
  POPART_SAME(Identity, 1) POPART_SAME(If, 1) POPART_SAME(InstanceNormalization, 6)
  POPART_SAME(LRN, 1) POPART_SAME(LSTM, 1) POPART_SAME(LeakyRelu, 6) POPART_SAME(Less, 1)
  POPART_SAME(Log, 6) POPART_SAME(LogSoftmax, 1) POPART_SAME(Loop, 1)
  POPART_SAME(LpNormalization, 1) POPART_SAME(LpPool, 2) POPART_SAME(MatMul, 1)
  POPART_SAME(Max, 6) POPART_SAME(MaxPool, 1) POPART_SAME(MaxRoiPool, 1) POPART_SAME(Mean, 6)
  POPART_SAME(Min, 6) POPART_SAME(Mul, 6) POPART_SAME(Neg, 6) POPART_SAME(Not, 1)
  POPART_SAME(Or, 1) POPART_SAME(PRelu, 6) POPART_SAME(Pad, 2) POPART_SAME(Pow, 1)
  POPART_SAME(RNN, 1) POPART_SAME(RandomNormal, 1) POPART_SAME(RandomNormalLike, 1)
  POPART_SAME(RandomUniform, 1) POPART_SAME(RandomUniformLike, 1) POPART_SAME(Reciprocal, 6)
  POPART_SAME(ReduceL1, 1) POPART_SAME(ReduceL2, 1) POPART_SAME(ReduceLogSum, 1)
  POPART_SAME(ReduceLogSumExp, 1) POPART_SAME(ReduceMax, 1) POPART_SAME(ReduceMean, 1)
  POPART_SAME(ReduceMin, 1) POPART_SAME(ReduceProd, 1) POPART_SAME(ReduceSum, 1)
  POPART_SAME(ReduceSumSquare, 1) POPART_SAME(Relu, 6) POPART_SAME(Reshape, 5)
  POPART_SAME(Selu, 6) POPART_SAME(Shape, 1) POPART_SAME(Sigmoid, 6) POPART_SAME(Size, 1)
  POPART_SAME(Slice, 1) POPART_SAME(Softmax, 1) POPART_SAME(Softplus, 1) POPART_SAME(Softsign, 1)
  POPART_SAME(SpaceToDepth, 1) POPART_SAME(Split, 2) POPART_SAME(Sqrt, 6) POPART_SAME(Squeeze, 1)
  POPART_SAME(Sub, 6) POPART_SAME(Sum, 6) POPART_SAME(Tanh, 6) POPART_SAME(Tile, 6)
  POPART_SAME(TopK, 1) POPART_SAME(Transpose, 1) POPART_SAME(Unsqueeze, 1)
  POPART_SAME(Upsample, 1) POPART_SAME(Xor, 1)
}
namespace OpSet7 {
  POPART_SAME(Abs, 6) POPART_SAME(Acos, 7) POPART_SAME(Add, 7) POPART_SAME(And, 7)
  POPART_SAME(ArgMax, 1) POPART_SAME(ArgMin, 1) POPART_SAME(Asin, 7) POPART_SAME(Atan, 7)
  POPART_SAME(AveragePool, 7) POPART_SAME(BatchNormalization, 7) POPART_SAME(Cast, 6)
  POPART_SAME(Ceil, 6) POPART_SAME(Clip, 6) POPART_SAME(Concat, 4) POPART_SAME(Constant, 1)
  POPART_SAME(Conv, 1) POPART_SAME(ConvTranspose, 1) POPART_SAME(Cos, 7)
  POPART_SAME(DepthToSpace, 1) POPART_SAME(Div, 7) POPART_SAME(Dropout, 7) POPART_SAME(Elu, 6)
  POPART_SAME(Equal, 7) POPART_SAME(Exp, 6) POPART_SAME(Flatten, 1) POPART_SAME(Floor, 6)
  POPART_SAME(GRU, 7) POPART_SAME(Gather, 1) POPART_SAME(Gemm, 7)
  POPART_SAME(GlobalAveragePool, 1) POPART_SAME(GlobalLpPool, 2) POPART_SAME(GlobalMaxPool, 1)
  POPART_SAME(Greater, 7) POPART_SAME(HardSigmoid, 6) POPART_SAME(Hardmax, 1)
  POPART_SAME(Identity, 1) POPART_SAME(If, 1) POPART_SAME(InstanceNormalization, 6)
  POPART_SAME(LRN, 1) POPART_SAME(LSTM, 7) POPART_SAME(LeakyRelu, 6) POPART_SAME(Less, 7)
  POPART_SAME(Log, 6) POPART_SAME(LogSoftmax, 1) POPART_SAME(Loop, 1)
  POPART_SAME(LpNormalization, 1) POPART_SAME(LpPool, 2) POPART_SAME(MatMul, 1)
  POPART_SAME(Max, 6) POPART_SAME(MaxPool, 1) POPART_SAME(MaxRoiPool, 1) POPART_SAME(Mean, 6)
  POPART_SAME(Min, 6) POPART_SAME(Mul, 7) POPART_SAME(Multinomial, 7) POPART_SAME(Neg, 6)
  POPART_SAME(Not, 1) POPART_SAME(Or, 7) POPART_SAME(PRelu, 7) POPART_SAME(Pad, 2)
  POPART_SAME(Pow, 7) POPART_SAME(RNN, 7) POPART_SAME(RandomNormal, 1)
  POPART_SAME(RandomNormalLike, 1) POPART_SAME(RandomUniform, 1) POPART_SAME(RandomUniformLike, 1)
  POPART_SAME(Reciprocal, 6) POPART_SAME(ReduceL1, 1) POPART_SAME(ReduceL2, 1)
  POPART_SAME(ReduceLogSum, 1) POPART_SAME(ReduceLogSumExp, 1) POPART_SAME(ReduceMax, 1)
  POPART_SAME(ReduceMean, 1) POPART_SAME(ReduceMin, 1) POPART_SAME(ReduceProd, 1)
  POPART_SAME(ReduceSum, 1) POPART_SAME(ReduceSumSquare, 1) POPART_SAME(Relu, 6)
  POPART_SAME(Reshape, 5) POPART_SAME(Selu, 6) POPART_SAME(Shape, 1) POPART_SAME(Sigmoid, 6)
  POPART_SAME(Sin, 7) POPART_SAME(Size, 1) POPART_SAME(Slice, 1) POPART_SAME(Softmax, 1)
  POPART_SAME(Softplus, 1) POPART_SAME(Softsign, 1) POPART_SAME(SpaceToDepth, 1)
  POPART_SAME(Split, 2) POPART_SAME(Sqrt, 6) POPART_SAME(Squeeze, 1) POPART_SAME(Sub, 7)
  POPART_SAME(Sum, 6) POPART_SAME(Tan, 7) POPART_SAME(Tanh, 6) POPART_SAME(Tile, 6)
  POPART_SAME(TopK, 1) POPART_SAME(Transpose, 1) POPART_SAME(Unsqueeze, 1)
  POPART_SAME(Upsample, 7) POPART_SAME(Xor, 7)
}
namespace OpSet8 {
  POPART_SAME(Abs, 6) POPART_SAME(Acos, 7) POPART_SAME(Add, 7) POPART_SAME(And, 7)
  POPART_SAME(ArgMax, 1) POPART_SAME(ArgMin, 1) POPART_SAME(Asin, 7) POPART_SAME(Atan, 7)
  POPART_SAME(AveragePool, 7) POPART_SAME(BatchNormalization, 7) POPART_SAME(Cast, 6)
  POPART_SAME(Ceil, 6) POPART_SAME(Clip, 6) POPART_SAME(Concat, 4) POPART_SAME(Constant, 1)
  POPART_SAME(Conv, 1) POPART_SAME(ConvTranspose, 1) POPART_SAME(Cos, 7)
  POPART_SAME(DepthToSpace, 1) POPART_SAME(Div, 7) POPART_SAME(Dropout, 7) POPART_SAME(Elu, 6)
  POPART_SAME(Equal, 7) POPART_SAME(Exp, 6) POPART_SAME(Expand, 8) POPART_SAME(Flatten, 1)
  POPART_SAME(Floor, 6) POPART_SAME(GRU, 7) POPART_SAME(Gather, 1) POPART_SAME(Gemm, 7)
  POPART_SAME(GlobalAveragePool, 1) POPART_SAME(GlobalLpPool, 2) POPART_SAME(GlobalMaxPool, 1)
  POPART_SAME(Greater, 7) POPART_SAME(HardSigmoid, 6) POPART_SAME(Hardmax, 1)
  POPART_SAME(Identity, 1) POPART_SAME(If, 1) POPART_SAME(InstanceNormalization, 6)
  POPART_SAME(LRN, 1) POPART_SAME(LSTM, 7) POPART_SAME(LeakyRelu, 6) POPART_SAME(Less, 7)
  POPART_SAME(Log, 6) POPART_SAME(LogSoftmax, 1) POPART_SAME(Loop, 1)
  POPART_SAME(LpNormalization, 1) POPART_SAME(LpPool, 2) POPART_SAME(MatMul, 1)
  POPART_SAME(Max, 8) POPART_SAME(MaxPool, 8) POPART_SAME(MaxRoiPool, 1) POPART_SAME(Mean, 8)
  POPART_SAME(Min, 8) POPART_SAME(Mul, 7) POPART_SAME(Multinomial, 7) POPART_SAME(Neg, 6)
  POPART_SAME(Not, 1) POPART_SAME(Or, 7) POPART_SAME(PRelu, 7) POPART_SAME(Pad, 2)
  POPART_SAME(Pow, 7) POPART_SAME(RNN, 7) POPART_SAME(RandomNormal, 1)
  POPART_SAME(RandomNormalLike, 1) POPART_SAME(RandomUniform, 1) POPART_SAME(RandomUniformLike, 1)
  POPART_SAME(Reciprocal, 6) POPART_SAME(ReduceL1, 1) POPART_SAME(ReduceL2, 1)
  POPART_SAME(ReduceLogSum, 1) POPART_SAME(ReduceLogSumExp, 1) POPART_SAME(ReduceMax, 1)
  POPART_SAME(ReduceMean, 1) POPART_SAME(ReduceMin, 1) POPART_SAME(ReduceProd, 1)
  POPART_SAME(ReduceSum, 1) POPART_SAME(ReduceSumSquare, 1) POPART_SAME(Relu, 6)
  POPART_SAME(Reshape, 5) POPART_SAME(Scan, 8) POPART_SAME(Selu, 6) POPART_SAME(Shape, 1)
  POPART_SAME(Sigmoid, 6) POPART_SAME(Sin, 7) POPART_SAME(Size, 1) POPART_SAME(Slice, 1)
  POPART_SAME(Softmax, 1) POPART_SAME(Softplus, 1) POPART_SAME(Softsign, 1)
  POPART_SAME(SpaceToDepth, 1) POPART_SAME(Split, 2) POPART_SAME(Sqrt, 6) POPART_SAME(Squeeze, 1)
  POPART_SAME(Sub, 7) POPART_SAME(Sum, 8) POPART_SAME(Tan, 7) POPART_SAME(Tanh, 6)
  POPART_SAME(Tile, 6) POPART_SAME(TopK, 1) POPART_SAME(Transpose, 1) POPART_SAME(Unsqueeze, 1)
  POPART_SAME(Upsample, 7) POPART_SAME(Xor, 7)
}
namespace OpSet9 {
  POPART_SAME(Abs, 6) POPART_SAME(Acos, 7) POPART_SAME(Acosh, 9) POPART_SAME(Add, 7)
  POPART_SAME(And, 7) POPART_SAME(ArgMax, 1) POPART_SAME(ArgMin, 1) POPART_SAME(Asin, 7)
  POPART_SAME(Asinh, 9) POPART_SAME(Atan, 7) POPART_SAME(Atanh, 9) POPART_SAME(AveragePool, 7)
  POPART_SAME(BatchNormalization, 9) POPART_SAME(Cast, 9) POPART_SAME(Ceil, 6)
  POPART_SAME(Clip, 6) POPART_SAME(Compress, 9) POPART_SAME(Concat, 4) POPART_SAME(Constant, 9)
  POPART_SAME(ConstantOfShape, 9) POPART_SAME(Conv, 1) POPART_SAME(ConvTranspose, 1)
  POPART_SAME(Cos, 7) POPART_SAME(Cosh, 9) POPART_SAME(DepthToSpace, 1) POPART_SAME(Div, 7)
  POPART_SAME(Dropout, 7) POPART_SAME(Elu, 6) POPART_SAME(Equal, 7) POPART_SAME(Erf, 9)
  POPART_SAME(Exp, 6) POPART_SAME(Expand, 8) POPART_SAME(EyeLike, 9) POPART_SAME(Flatten, 9)
  POPART_SAME(Floor, 6) POPART_SAME(GRU, 7) POPART_SAME(Gather, 1) POPART_SAME(Gemm, 9)
  POPART_SAME(GlobalAveragePool, 1) POPART_SAME(GlobalLpPool, 2) POPART_SAME(GlobalMaxPool, 1)
  POPART_SAME(Greater, 9) POPART_SAME(HardSigmoid, 6) POPART_SAME(Hardmax, 1)
  POPART_SAME(Identity, 1) POPART_SAME(If, 1) POPART_SAME(InstanceNormalization, 6)
  POPART_SAME(IsNaN, 9) POPART_SAME(LRN, 1) POPART_SAME(LSTM, 7) POPART_SAME(LeakyRelu, 6)
  POPART_SAME(Less, 9) POPART_SAME(Log, 6) POPART_SAME(LogSoftmax, 1) POPART_SAME(Loop, 1)
  POPART_SAME(LpNormalization, 1) POPART_SAME(LpPool, 2) POPART_SAME(MatMul, 9)
  POPART_SAME(Max, 8) POPART_SAME(MaxPool, 8) POPART_SAME(MaxRoiPool, 1) POPART_SAME(MaxUnpool, 9)
  POPART_SAME(Mean, 8) POPART_SAME(MeanVarianceNormalization, 9) POPART_SAME(Min, 8)
  POPART_SAME(Mul, 7) POPART_SAME(Multinomial, 7) POPART_SAME(Neg, 6) POPART_SAME(NonZero, 9)
  POPART_SAME(Not, 1) POPART_SAME(OneHot, 9) POPART_SAME(Or, 7) POPART_SAME(PRelu, 9)
  POPART_SAME(Pad, 2) POPART_SAME(Pow, 7) POPART_SAME(RNN, 7) POPART_SAME(RandomNormal, 1)
  POPART_SAME(RandomNormalLike, 1) POPART_SAME(RandomUniform, 1) POPART_SAME(RandomUniformLike, 1)
  POPART_SAME(Reciprocal, 6) POPART_SAME(ReduceL1, 1) POPART_SAME(ReduceL2, 1)
  POPART_SAME(ReduceLogSum, 1) POPART_SAME(ReduceLogSumExp, 1) POPART_SAME(ReduceMax, 1)
  POPART_SAME(ReduceMean, 1) POPART_SAME(ReduceMin, 1) POPART_SAME(ReduceProd, 1)
  POPART_SAME(ReduceSum, 1) POPART_SAME(ReduceSumSquare, 1) POPART_SAME(Relu, 6)
  POPART_SAME(Reshape, 5) POPART_SAME(Scan, 9) POPART_SAME(Scatter, 9) POPART_SAME(Selu, 6)
  POPART_SAME(Shape, 1) POPART_SAME(Shrink, 9) POPART_SAME(Sigmoid, 6) POPART_SAME(Sign, 9)
  POPART_SAME(Sin, 7) POPART_SAME(Sinh, 9) POPART_SAME(Size, 1) POPART_SAME(Slice, 1)
  POPART_SAME(Softmax, 1) POPART_SAME(Softplus, 1) POPART_SAME(Softsign, 1)
  POPART_SAME(SpaceToDepth, 1) POPART_SAME(Split, 2) POPART_SAME(Sqrt, 6) POPART_SAME(Squeeze, 1)
  POPART_SAME(Sub, 7) POPART_SAME(Sum, 8) POPART_SAME(Tan, 7) POPART_SAME(Tanh, 6)
  POPART_SAME(TfIdfVectorizer, 9) POPART_SAME(Tile, 6) POPART_SAME(TopK, 1)
  POPART_SAME(Transpose, 1) POPART_SAME(Unsqueeze, 1) POPART_SAME(Upsample, 9)
  POPART_SAME(Where, 9) POPART_SAME(Xor, 7)
}
namespace OpSet10 {
  POPART_SAME(Abs, 6) POPART_SAME(Acos, 7) POPART_SAME(Acosh, 9) POPART_SAME(Add, 7)
  POPART_SAME(And, 7) POPART_SAME(ArgMax, 1) POPART_SAME(ArgMin, 1) POPART_SAME(Asin, 7)
  POPART_SAME(Asinh, 9) POPART_SAME(Atan, 7) POPART_SAME(Atanh, 9) POPART_SAME(AveragePool, 10)
  POPART_SAME(BatchNormalization, 9) POPART_SAME(Cast, 9) POPART_SAME(Ceil, 6)
  POPART_SAME(Clip, 6) POPART_SAME(Compress, 9) POPART_SAME(Concat, 4) POPART_SAME(Constant, 9)
  POPART_SAME(ConstantOfShape, 9) POPART_SAME(Conv, 1) POPART_SAME(ConvInteger, 10)
  POPART_SAME(ConvTranspose, 1) POPART_SAME(Cos, 7) POPART_SAME(Cosh, 9)
  POPART_SAME(DepthToSpace, 1) POPART_SAME(DequantizeLinear, 10) POPART_SAME(Div, 7)
  POPART_SAME(Dropout, 10) POPART_SAME(Elu, 6) POPART_SAME(Equal, 7) POPART_SAME(Erf, 9)
  POPART_SAME(Exp, 6) POPART_SAME(Expand, 8) POPART_SAME(EyeLike, 9) POPART_SAME(Flatten, 9)
  POPART_SAME(Floor, 6) POPART_SAME(GRU, 7) POPART_SAME(Gather, 1) POPART_SAME(Gemm, 9)
  POPART_SAME(GlobalAveragePool, 1) POPART_SAME(GlobalLpPool, 2) POPART_SAME(GlobalMaxPool, 1)
  POPART_SAME(Greater, 9) POPART_SAME(HardSigmoid, 6) POPART_SAME(Hardmax, 1)
  POPART_SAME(Identity, 1) POPART_SAME(If, 1) POPART_SAME(InstanceNormalization, 6)
  POPART_SAME(IsInf, 10) POPART_SAME(IsNaN, 9) POPART_SAME(LRN, 1) POPART_SAME(LSTM, 7)
  POPART_SAME(LeakyRelu, 6) POPART_SAME(Less, 9) POPART_SAME(Log, 6) POPART_SAME(LogSoftmax, 1)
  POPART_SAME(Loop, 1) POPART_SAME(LpNormalization, 1) POPART_SAME(LpPool, 2)
  POPART_SAME(MatMul, 9) POPART_SAME(MatMulInteger, 10) POPART_SAME(Max, 8)
  POPART_SAME(MaxPool, 10) POPART_SAME(MaxRoiPool, 1) POPART_SAME(MaxUnpool, 9)
  POPART_SAME(Mean, 8) POPART_SAME(MeanVarianceNormalization, 9) POPART_SAME(Min, 8)
  POPART_SAME(Mod, 10) POPART_SAME(Mul, 7) POPART_SAME(Multinomial, 7) POPART_SAME(Neg, 6)
  POPART_SAME(NonMaxSuppression, 10) POPART_SAME(NonZero, 9) POPART_SAME(Not, 1)
  POPART_SAME(OneHot, 9) POPART_SAME(Or, 7) POPART_SAME(PRelu, 9) POPART_SAME(Pad, 2)
  POPART_SAME(Pow, 7) POPART_SAME(QLinearConv, 10) POPART_SAME(QLinearMatMul, 10)
  POPART_SAME(QuantizeLinear, 10) POPART_SAME(RNN, 7) POPART_SAME(RandomNormal, 1)
  POPART_SAME(RandomNormalLike, 1) POPART_SAME(RandomUniform, 1) POPART_SAME(RandomUniformLike, 1)
  POPART_SAME(Reciprocal, 6) POPART_SAME(ReduceL1, 1) POPART_SAME(ReduceL2, 1)
  POPART_SAME(ReduceLogSum, 1) POPART_SAME(ReduceLogSumExp, 1) POPART_SAME(ReduceMax, 1)
  POPART_SAME(ReduceMean, 1) POPART_SAME(ReduceMin, 1) POPART_SAME(ReduceProd, 1)
  POPART_SAME(ReduceSum, 1) POPART_SAME(ReduceSumSquare, 1) POPART_SAME(Relu, 6)
  POPART_SAME(Reshape, 5) POPART_SAME(Resize, 10) POPART_SAME(ReverseSequence, 10)
  POPART_SAME(RoiAlign, 10) POPART_SAME(Scan, 9) POPART_SAME(Scatter, 9) POPART_SAME(Selu, 6)
  POPART_SAME(Shape, 1) POPART_SAME(Shrink, 9) POPART_SAME(Sigmoid, 6) POPART_SAME(Sign, 9)
  POPART_SAME(Sin, 7) POPART_SAME(Sinh, 9) POPART_SAME(Size, 1) POPART_SAME(Slice, 10)
  POPART_SAME(Softmax, 1) POPART_SAME(Softplus, 1) POPART_SAME(Softsign, 1)
  POPART_SAME(SpaceToDepth, 1) POPART_SAME(Split, 2) POPART_SAME(Sqrt, 6) POPART_SAME(Squeeze, 1)
  POPART_SAME(StringNormalizer, 10) POPART_SAME(Sub, 7) POPART_SAME(Sum, 8) POPART_SAME(Tan, 7)
  POPART_SAME(Tanh, 6) POPART_SAME(TfIdfVectorizer, 9) POPART_SAME(ThresholdedRelu, 10)
  POPART_SAME(Tile, 6) POPART_SAME(TopK, 10) POPART_SAME(Transpose, 1) POPART_SAME(Unsqueeze, 1)
  POPART_SAME(Where, 9) POPART_SAME(Xor, 7)
}
namespace OpSet11 {
  POPART_SAME(Abs, 6) POPART_SAME(Acos, 7) POPART_SAME(Acosh, 9) POPART_SAME(Add, 7)
  POPART_SAME(And, 7) POPART_SAME(ArgMax, 11) POPART_SAME(ArgMin, 11) POPART_SAME(Asin, 7)
  POPART_SAME(Asinh, 9) POPART_SAME(Atan, 7) POPART_SAME(Atanh, 9) POPART_SAME(AveragePool, 11)
  POPART_SAME(BatchNormalization, 9) POPART_SAME(BitShift, 11) POPART_SAME(Cast, 9)
  POPART_SAME(Ceil, 6) POPART_SAME(Clip, 11) POPART_SAME(Compress, 11) POPART_SAME(Concat, 11)
  POPART_SAME(ConcatFromSequence, 11) POPART_SAME(Constant, 11) POPART_SAME(ConstantOfShape, 9)
  POPART_SAME(Conv, 11) POPART_SAME(ConvInteger, 10) POPART_SAME(ConvTranspose, 11)
  POPART_SAME(Cos, 7) POPART_SAME(Cosh, 9) POPART_SAME(CumSum, 11) POPART_SAME(DepthToSpace, 11)
  POPART_SAME(DequantizeLinear, 10) POPART_SAME(Det, 11) POPART_SAME(Div, 7)
  POPART_SAME(Dropout, 10) POPART_SAME(DynamicQuantizeLinear, 11) POPART_SAME(Elu, 6)
  POPART_SAME(Equal, 11) POPART_SAME(Erf, 9) POPART_SAME(Exp, 6) POPART_SAME(Expand, 8)
  POPART_SAME(EyeLike, 9) POPART_SAME(Flatten, 11) POPART_SAME(Floor, 6) POPART_SAME(GRU, 7)
  POPART_SAME(Gather, 11) POPART_SAME(GatherElements, 11) POPART_SAME(GatherND, 11)
  POPART_SAME(Gemm, 11) POPART_SAME(GlobalAveragePool, 1) POPART_SAME(GlobalLpPool, 2)
  POPART_SAME(GlobalMaxPool, 1) POPART_SAME(Greater, 9) POPART_SAME(HardSigmoid, 6)
  POPART_SAME(Hardmax, 11) POPART_SAME(Identity, 1) POPART_SAME(If, 11)
  POPART_SAME(InstanceNormalization, 6) POPART_SAME(IsInf, 10) POPART_SAME(IsNaN, 9)
  POPART_SAME(LRN, 1) POPART_SAME(LSTM, 7) POPART_SAME(LeakyRelu, 6) POPART_SAME(Less, 9)
  POPART_SAME(Log, 6) POPART_SAME(LogSoftmax, 11) POPART_SAME(Loop, 11)
  POPART_SAME(LpNormalization, 1) POPART_SAME(LpPool, 11) POPART_SAME(MatMul, 9)
  POPART_SAME(MatMulInteger, 10) POPART_SAME(Max, 8) POPART_SAME(MaxPool, 11)
  POPART_SAME(MaxRoiPool, 1) POPART_SAME(MaxUnpool, 11) POPART_SAME(Mean, 8)
  POPART_SAME(MeanVarianceNormalization, 9) POPART_SAME(Min, 8) POPART_SAME(Mod, 10)
  POPART_SAME(Mul, 7) POPART_SAME(Multinomial, 7) POPART_SAME(Neg, 6)
  POPART_SAME(NonMaxSuppression, 11) POPART_SAME(NonZero, 9) POPART_SAME(Not, 1)
  POPART_SAME(OneHot, 11) POPART_SAME(Or, 7) POPART_SAME(PRelu, 9) POPART_SAME(Pad, 11)
  POPART_SAME(Pow, 7) POPART_SAME(QLinearConv, 10) POPART_SAME(QLinearMatMul, 10)
  POPART_SAME(QuantizeLinear, 10) POPART_SAME(RNN, 7) POPART_SAME(RandomNormal, 1)
  POPART_SAME(RandomNormalLike, 1) POPART_SAME(RandomUniform, 1) POPART_SAME(RandomUniformLike, 1)
  POPART_SAME(Range, 11) POPART_SAME(Reciprocal, 6) POPART_SAME(ReduceL1, 11)
  POPART_SAME(ReduceL2, 11) POPART_SAME(ReduceLogSum, 11) POPART_SAME(ReduceLogSumExp, 11)
  POPART_SAME(ReduceMax, 11) POPART_SAME(ReduceMean, 11) POPART_SAME(ReduceMin, 11)
  POPART_SAME(ReduceProd, 11) POPART_SAME(ReduceSum, 11) POPART_SAME(ReduceSumSquare, 11)
  POPART_SAME(Relu, 6) POPART_SAME(Reshape, 5) POPART_SAME(Resize, 11)
  POPART_SAME(ReverseSequence, 10) POPART_SAME(RoiAlign, 10) POPART_SAME(Round, 11)
  POPART_SAME(Scan, 11) POPART_SAME(ScatterElements, 11) POPART_SAME(ScatterND, 11)
  POPART_SAME(Selu, 6) POPART_SAME(SequenceAt, 11) POPART_SAME(SequenceConstruct, 11)
  POPART_SAME(SequenceEmpty, 11) POPART_SAME(SequenceErase, 11) POPART_SAME(SequenceInsert, 11)
  POPART_SAME(SequenceLength, 11) POPART_SAME(Shape, 1) POPART_SAME(Shrink, 9)
  POPART_SAME(Sigmoid, 6) POPART_SAME(Sign, 9) POPART_SAME(Sin, 7) POPART_SAME(Sinh, 9)
  POPART_SAME(Size, 1) POPART_SAME(Slice, 11) POPART_SAME(Softmax, 11) POPART_SAME(Softplus, 1)
  POPART_SAME(Softsign, 1) POPART_SAME(SpaceToDepth, 1) POPART_SAME(Split, 11)
  POPART_SAME(SplitToSequence, 11) POPART_SAME(Sqrt, 6) POPART_SAME(Squeeze, 11)
  POPART_SAME(StringNormalizer, 10) POPART_SAME(Sub, 7) POPART_SAME(Sum, 8) POPART_SAME(Tan, 7)
  POPART_SAME(Tanh, 6) POPART_SAME(TfIdfVectorizer, 9) POPART_SAME(ThresholdedRelu, 10)
  POPART_SAME(Tile, 6) POPART_SAME(TopK, 11) POPART_SAME(Transpose, 1) POPART_SAME(Unique, 11)
  POPART_SAME(Unsqueeze, 11) POPART_SAME(Where, 9) POPART_SAME(Xor, 7)
}
#undef POPART_SAME
}  // namespace AiOnnx

}  // namespace Onnx
}  // namespace popart

#pragma GCC visibility pop

#endif
