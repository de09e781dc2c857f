// Shape functions that many operators share, and the layouts and windows of images.
#ifndef popir_habana_tf_shape_functions_hpp
#define popir_habana_tf_shape_functions_hpp

#include "inference.hpp"

#pragma GCC visibility push(default)

namespace tensorflow {

// Layouts.

enum TensorFormat { FORMAT_NHWC = 0, FORMAT_NCHW = 1 };
enum FilterTensorFormat { FORMAT_HWIO = 0, FORMAT_OIHW = 1 };
std::string ToString(TensorFormat format);
/// "NHWC", "NDHWC", "NCHW" or "NCDHW".
bool FormatFromString(StringPiece text, TensorFormat* format);
bool FilterFormatFromString(StringPiece text, FilterTensorFormat* format);
inline int GetTensorSpatialDims(int dims, TensorFormat) { return dims - 2; }
inline int GetTensorBatchDimIndex(int, TensorFormat) { return 0; }
inline int GetTensorFeatureDimIndex(int dims, TensorFormat format) {
  return format == FORMAT_NHWC ? dims - 1 : 1;
}
inline int GetTensorSpatialDimIndex(int, TensorFormat format, int spatial) {
  return format == FORMAT_NHWC ? spatial + 1 : spatial + 2;
}
/// The place of 'N', 'C', 'D', 'H', 'W', or of a number that counts spatial dimensions.
/// \throws std::invalid_argument for another letter
int GetTensorDimIndex(TensorFormat format, char dimension, int dims = 4);
inline std::int64_t GetTensorDim(const TensorShape& shape, TensorFormat format, char dimension) {
  return shape.dim_size(GetTensorDimIndex(format, dimension, shape.dims()));
}
template <class T>
T GetTensorDim(const std::vector<T>& sizes, TensorFormat format, char dimension) {
  const int dims = static_cast<int>(sizes.size());
  return sizes.at(static_cast<std::size_t>(GetTensorDimIndex(format, dimension, dims)));
}
TensorShape ShapeFromFormat(TensorFormat format, std::int64_t n, std::int64_t h, std::int64_t w,
                            std::int64_t c);
/// Attributes as REGISTER_OP takes them.
inline std::string GetConvnetDataFormatAttrString() {
  return "data_format: { 'NHWC', 'NCHW' } = 'NHWC' ";
}
inline std::string GetConvnet3dDataFormatAttrString() {
  return "data_format: { 'NDHWC', 'NCDHW' } = 'NDHWC' ";
}
inline std::string GetPaddingAttrString() { return "padding: {'SAME', 'VALID'}"; }
inline std::string GetPaddingAttrStringWithExplicit() {
  return "padding: {'SAME', 'VALID', 'EXPLICIT'}";
}
inline std::string GetExplicitPaddingsAttrString() { return "explicit_paddings: list(int) = []"; }

// Windows.

Status GetPaddingFromString(StringPiece text, Padding* padding);
Status CheckValidPadding(Padding padding, const std::vector<std::int64_t>& sizes, int dims,
                         TensorFormat format);
/// How many windows there are along a dimension, and the padding before and after. For EXPLICIT, the
/// padding is given.
Status GetWindowedOutputSizeVerbose(std::int64_t input, std::int64_t filter, std::int64_t dilation,
                                    std::int64_t stride, Padding padding, std::int64_t* output,
                                    std::int64_t* before, std::int64_t* after);
inline Status GetWindowedOutputSizeVerboseV2(std::int64_t input, std::int64_t filter,
                                             std::int64_t dilation, std::int64_t stride,
                                             Padding padding, std::int64_t* output,
                                             std::int64_t* before, std::int64_t* after) {
  return GetWindowedOutputSizeVerbose(input, filter, dilation, stride, padding, output, before,
                                      after);
}
inline Status GetWindowedOutputSizeVerbose(std::int64_t input, std::int64_t filter,
                                           std::int64_t stride, Padding padding,
                                           std::int64_t* output, std::int64_t* before,
                                           std::int64_t* after) {
  return GetWindowedOutputSizeVerbose(input, filter, 1, stride, padding, output, before, after);
}
/// \returns an error for EXPLICIT
Status GetWindowedOutputSize(std::int64_t input, std::int64_t filter, std::int64_t dilation,
                             std::int64_t stride, Padding padding, std::int64_t* output,
                             std::int64_t* before);
inline Status GetWindowedOutputSizeV2(std::int64_t input, std::int64_t filter,
                                      std::int64_t dilation, std::int64_t stride, Padding padding,
                                      std::int64_t* output, std::int64_t* before) {
  return GetWindowedOutputSize(input, filter, dilation, stride, padding, output, before);
}
inline Status GetWindowedOutputSize(std::int64_t input, std::int64_t filter, std::int64_t stride,
                                    Padding padding, std::int64_t* output, std::int64_t* before) {
  return GetWindowedOutputSize(input, filter, 1, stride, padding, output, before);
}

namespace shape_inference {

Status GetWindowedOutputSizeFromDimsV2(InferenceContext* context, DimensionHandle input,
                                       DimensionOrConstant filter, std::int64_t dilation,
                                       std::int64_t stride, Padding padding, std::int64_t before,
                                       std::int64_t after, DimensionHandle* output);
inline Status GetWindowedOutputSizeFromDims(InferenceContext* context, DimensionHandle input,
                                            DimensionOrConstant filter, std::int64_t stride,
                                            Padding padding, DimensionHandle* output) {
  return GetWindowedOutputSizeFromDimsV2(context, input, filter, 1, stride, padding, -1, -1,
                                         output);
}

Status UnchangedShape(InferenceContext* context);
Status UnchangedShapeWithRank(InferenceContext* context, std::int32_t rank);
Status UnchangedShapeWithRankAtLeast(InferenceContext* context, std::int32_t rank);
Status UnchangedShapeWithRankAtMost(InferenceContext* context, std::int32_t rank);
Status ScalarShape(InferenceContext* context);
Status UnknownShape(InferenceContext* context);
Status NoOutputs(InferenceContext* context);
/// The attribute `shape`.
Status ExplicitShape(InferenceContext* context);
Status MergeBothInputsShapeFn(InferenceContext* context);
Status BroadcastBinaryOpOutputShapeFnHelper(InferenceContext* context, const ShapeHandle& a,
                                            const ShapeHandle& b, bool error, ShapeHandle* out);
Status BroadcastBinaryOpOutputShapeFn(InferenceContext* context, int output);
inline Status BroadcastBinaryOpShapeFn(InferenceContext* context) {
  return BroadcastBinaryOpOutputShapeFn(context, 0);
}
Status MatMulShape(InferenceContext* context);
/// Batches of matrices; those of the second are broadcast.
Status BatchMatMulV2Shape(InferenceContext* context);
Status BatchMatMulShape(InferenceContext* context);
Status BiasAddShape(InferenceContext* context);
Status BiasAddGradShape(InferenceContext* context);
Status Conv2DShape(InferenceContext* context);
inline Status Conv2DShapeWithExplicitPadding(InferenceContext* context) {
  return Conv2DShape(context);
}
Status Conv3DShape(InferenceContext* context);
Status DepthwiseConv2DNativeShape(InferenceContext* context);
inline Status DepthwiseConv2DNativeShapeWithExplicitPadding(InferenceContext* context) {
  return DepthwiseConv2DNativeShape(context);
}
Status MaxPoolShape(InferenceContext* context);
inline Status MaxPoolShapeWithExplicitPadding(InferenceContext* context) {
  return MaxPoolShape(context);
}
Status AvgPoolShape(InferenceContext* context);
Status Pool3DShape(InferenceContext* context);
Status FusedBatchNormShape(InferenceContext* context);
Status FusedBatchNormGradShape(InferenceContext* context);
/// Input 1 names dimensions, `keep_dims` says whether they stay, of size 1.
Status ReductionShape(InferenceContext* context);
/// Input 0 is the dimension, and others are the tensors; in V2 it is the last one.
Status ConcatShape(InferenceContext* context, int tensors);
Status ConcatV2Shape(InferenceContext* context);
Status SliceShape(InferenceContext* context);
Status GatherNdShape(InferenceContext* context);

}  // namespace shape_inference
}  // namespace tensorflow

#pragma GCC visibility pop

#endif
