// Shape functions that many operators share, and the layouts and windows of images.
#include <habana/tf/shape_functions.hpp>

#include <algorithm>

namespace tensorflow {

std::string ToString(TensorFormat format) { return format == FORMAT_NHWC ? "NHWC" : "NCHW"; }
bool FormatFromString(StringPiece text, TensorFormat* format) {
  const bool last = text == "NHWC" || text == "NDHWC" || text == "NWC";
  *format = last ? FORMAT_NHWC : FORMAT_NCHW;
  return last || text == "NCHW" || text == "NCDHW" || text == "NCW";
}
bool FilterFormatFromString(StringPiece text, FilterTensorFormat* format) {
  const bool last = text == "HWIO" || text == "DHWIO";
  *format = last ? FORMAT_HWIO : FORMAT_OIHW;
  return last || text == "OIHW" || text == "OIDHW";
}
int GetTensorDimIndex(TensorFormat format, char dimension, int dims) {
  const int spatial = dims - 2;
  int index = -1;
  switch (dimension) {
    case 'N': return 0;
    case 'C': return GetTensorFeatureDimIndex(dims, format);
    case 'W': index = spatial - 1; break;
    case 'H': index = spatial - 2; break;
    case 'D': index = spatial - 3; break;
    default: index = dimension - '0';
  }
  if (index < 0 || index >= spatial)
    throw std::invalid_argument(absl::StrCat("a tensor of ", dims, " dimensions in the format ",
                                             ToString(format), " has no '", dimension, "'"));
  return GetTensorSpatialDimIndex(dims, format, index);
}
TensorShape ShapeFromFormat(TensorFormat format, std::int64_t n, std::int64_t h, std::int64_t w,
                            std::int64_t c) {
  return format == FORMAT_NHWC ? TensorShape({n, h, w, c}) : TensorShape({n, c, h, w});
}

// Windows.

Status GetPaddingFromString(StringPiece text, Padding* padding) {
  const std::pair<const char*, Padding> known[] = {
      {"SAME", SAME}, {"VALID", VALID}, {"EXPLICIT", EXPLICIT}};
  for (const auto& [name, value] : known)
    if (text == name) return *padding = value, OkStatus();
  return errors::NotFound(text, " is not an allowed padding type");
}
Status readAttr(const NodeDef& node, StringPiece name, Padding* value) {
  std::string text;
  TF_RETURN_IF_ERROR(readAttr(node, name, &text));
  return GetPaddingFromString(text, value);
}
Status CheckValidPadding(Padding padding, const std::vector<std::int64_t>& sizes, int dims,
                         TensorFormat format) {
  if (padding != EXPLICIT) {
    if (sizes.empty()) return OkStatus();
    return errors::InvalidArgument(
        "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
  }
  if (sizes.size() != static_cast<std::size_t>(2 * dims))
    return errors::InvalidArgument("explicit_paddings attribute must contain ", 2 * dims,
                                   " values, but got: ", sizes.size());
  for (auto size : sizes)
    if (size < 0) return errors::InvalidArgument("All elements of explicit_paddings must be >= 0");
  for (char each : {'N', 'C'}) {
    const auto at = static_cast<std::size_t>(2 * GetTensorDimIndex(format, each, dims));
    if (sizes[at] != 0 || sizes[at + 1] != 0)
      return errors::InvalidArgument(
          "Non-zero explicit padding in the batch or depth dimensions is not supported");
  }
  return OkStatus();
}
Status GetWindowedOutputSizeVerbose(std::int64_t input, std::int64_t filter, std::int64_t dilation,
                                    std::int64_t stride, Padding padding, std::int64_t* output,
                                    std::int64_t* before, std::int64_t* after) {
  if (stride <= 0) return errors::InvalidArgument("Stride must be > 0, but got ", stride);
  if (dilation < 1)
    return errors::InvalidArgument("Dilation rate must be >= 1, but got ", dilation);
  const std::int64_t reach = (filter - 1) * dilation + 1;
  if (padding == SAME) {
    *output = (input + stride - 1) / stride;
    const std::int64_t all = std::max<std::int64_t>(0, (*output - 1) * stride + reach - input);
    *before = all / 2;
    *after = all - *before;
  } else {
    if (padding == VALID) *before = *after = 0;
    *output = (input + *before + *after - reach + stride) / stride;
  }
  if (*output < 0)
    return errors::InvalidArgument("Computed output size would be negative: ", *output,
                                   " [input_size: ", input, ", effective_filter_size: ", reach,
                                   ", stride: ", stride, "]");
  return OkStatus();
}
Status GetWindowedOutputSize(std::int64_t input, std::int64_t filter, std::int64_t dilation,
                             std::int64_t stride, Padding padding, std::int64_t* output,
                             std::int64_t* before) {
  if (padding == EXPLICIT)
    return errors::Internal(
        "GetWindowedOutputSize does not handle EXPLICIT padding; call "
        "GetWindowedOutputSizeVerbose instead");
  std::int64_t after = 0;
  return GetWindowedOutputSizeVerbose(input, filter, dilation, stride, padding, output, before,
                                      &after);
}

namespace shape_inference {

Status GetWindowedOutputSizeFromDimsV2(InferenceContext* context, DimensionHandle input,
                                       DimensionOrConstant filter, std::int64_t dilation,
                                       std::int64_t stride, Padding padding, std::int64_t before,
                                       std::int64_t after, DimensionHandle* output) {
  *output = context->UnknownDim();
  if (stride <= 0) return errors::InvalidArgument("Stride must be > 0, but got ", stride);
  if (input.size < 0 || (filter.size < 0 && padding != SAME)) return OkStatus();
  std::int64_t size = 0;
  TF_RETURN_IF_ERROR(GetWindowedOutputSizeVerbose(input.size,
                                                  std::max<std::int64_t>(filter.size, 1), dilation,
                                                  stride, padding, &size, &before, &after));
  *output = {size};
  return OkStatus();
}

Status UnchangedShape(InferenceContext* context) {
  context->set_output(0, context->input(0));
  return OkStatus();
}
Status UnchangedShapeWithRank(InferenceContext* context, std::int32_t rank) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(context->WithRank(context->input(0), rank, &out));
  context->set_output(0, out);
  return OkStatus();
}
Status UnchangedShapeWithRankAtLeast(InferenceContext* context, std::int32_t rank) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(context->WithRankAtLeast(context->input(0), rank, &out));
  context->set_output(0, out);
  return OkStatus();
}
Status UnchangedShapeWithRankAtMost(InferenceContext* context, std::int32_t rank) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(context->WithRankAtMost(context->input(0), rank, &out));
  context->set_output(0, out);
  return OkStatus();
}
Status ExplicitShape(InferenceContext* context) {
  PartialTensorShape shape;
  TF_RETURN_IF_ERROR(context->GetAttr("shape", &shape));
  ShapeHandle out;
  TF_RETURN_IF_ERROR(context->MakeShapeFromPartialTensorShape(shape, &out));
  context->set_output(0, out);
  return OkStatus();
}
Status ScalarShape(InferenceContext* context) {
  context->set_output(0, context->Scalar());
  return OkStatus();
}
Status UnknownShape(InferenceContext* context) {
  for (int i = 0; i < context->num_outputs(); ++i) context->set_output(i, context->UnknownShape());
  return OkStatus();
}
Status NoOutputs(InferenceContext*) { return OkStatus(); }
Status MergeBothInputsShapeFn(InferenceContext* context) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(context->Merge(context->input(0), context->input(1), &out));
  context->set_output(0, out);
  return OkStatus();
}

Status BroadcastBinaryOpOutputShapeFnHelper(InferenceContext* context, const ShapeHandle& a,
                                            const ShapeHandle& b, bool error, ShapeHandle* out) {
  *out = context->UnknownShape();
  if (!a.known || !b.known) return OkStatus();
  const ShapeHandle& longer = a.sizes.size() < b.sizes.size() ? b : a;
  const ShapeHandle& shorter = a.sizes.size() < b.sizes.size() ? a : b;
  ShapeHandle found = longer;
  const auto offset = longer.sizes.size() - shorter.sizes.size();
  for (std::size_t i = 0; i < shorter.sizes.size(); ++i) {
    auto& size = found.sizes[offset + i];
    const auto other = shorter.sizes[i];
    if (size == 1)
      size = other;
    else if (size >= 0 && other >= 0 && other != 1 && size != other)
      return error ? errors::InvalidArgument(
                         "Incompatible shapes for broadcasting: ", context->DebugString(a), " and ",
                         context->DebugString(b))
                   : OkStatus();
    else if (size < 0 && other != 1 && other >= 0)
      size = other;
  }
  *out = found;
  return OkStatus();
}
Status BroadcastBinaryOpOutputShapeFn(InferenceContext* context, int output) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(context, context->input(0),
                                                          context->input(1), true, &out));
  context->set_output(output, out);
  return OkStatus();
}
Status MatMulShape(InferenceContext* context) {
  ShapeHandle a, b;
  TF_RETURN_IF_ERROR(context->WithRank(context->input(0), 2, &a));
  TF_RETURN_IF_ERROR(context->WithRank(context->input(1), 2, &b));
  bool first = false, second = false;
  context->GetAttr("transpose_a", &first).IgnoreError();
  context->GetAttr("transpose_b", &second).IgnoreError();
  DimensionHandle merged;
  TF_RETURN_IF_ERROR(
      context->Merge(context->Dim(a, first ? 0 : 1), context->Dim(b, second ? 1 : 0), &merged));
  context->set_output(
      0, context->Matrix(context->Dim(a, first ? 1 : 0), context->Dim(b, second ? 0 : 1)));
  return OkStatus();
}
namespace {
Status batchMatMul(InferenceContext* context, bool broadcast) {
  ShapeHandle a, b;
  TF_RETURN_IF_ERROR(context->WithRankAtLeast(context->input(0), 2, &a));
  TF_RETURN_IF_ERROR(context->WithRankAtLeast(context->input(1), 2, &b));
  if (!a.known || !b.known) return UnknownShape(context);
  bool first = false, second = false;
  TF_RETURN_IF_ERROR(context->GetAttr("adj_x", &first));
  TF_RETURN_IF_ERROR(context->GetAttr("adj_y", &second));
  DimensionHandle merged;
  TF_RETURN_IF_ERROR(
      context->Merge(context->Dim(a, first ? -2 : -1), context->Dim(b, second ? -1 : -2), &merged));
  ShapeHandle batchA, batchB, batch, out;
  TF_RETURN_IF_ERROR(context->Subshape(a, 0, -2, &batchA));
  TF_RETURN_IF_ERROR(context->Subshape(b, 0, -2, &batchB));
  if (broadcast)
    TF_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(context, batchA, batchB, true, &batch));
  else
    TF_RETURN_IF_ERROR(context->Merge(batchA, batchB, &batch));
  TF_RETURN_IF_ERROR(context->Concatenate(
      batch, context->Matrix(context->Dim(a, first ? -1 : -2), context->Dim(b, second ? -2 : -1)),
      &out));
  context->set_output(0, out);
  return OkStatus();
}

/// The attribute data_format; channels are last without one.
Status formatOf(InferenceContext* context, TensorFormat* format) {
  std::string text = "NHWC";
  if (context->HasAttr("data_format")) TF_RETURN_IF_ERROR(context->GetAttr("data_format", &text));
  if (!FormatFromString(text, format))
    return errors::InvalidArgument("Invalid data format string: ", text);
  return OkStatus();
}

/// What windows of convolutions and pools are.
struct Windows {
  TensorFormat format = FORMAT_NHWC;
  Padding padding = VALID;
  std::vector<std::int64_t> strides, dilations, paddings;

  Status read(InferenceContext* context, int dims) {
    TF_RETURN_IF_ERROR(formatOf(context, &format));
    TF_RETURN_IF_ERROR(context->GetAttr("padding", &padding));
    TF_RETURN_IF_ERROR(context->GetAttr("strides", &strides));
    dilations.assign(static_cast<std::size_t>(dims), 1);
    if (context->HasAttr("dilations"))
      TF_RETURN_IF_ERROR(context->GetAttr("dilations", &dilations));
    if (context->HasAttr("explicit_paddings"))
      TF_RETURN_IF_ERROR(context->GetAttr("explicit_paddings", &paddings));
    TF_RETURN_IF_ERROR(CheckValidPadding(padding, paddings, dims, format));
    const auto wanted = static_cast<std::size_t>(dims);
    if (strides.size() != wanted || dilations.size() != wanted)
      return errors::InvalidArgument("strides and dilations must have ", dims, " values, but have ",
                                     strides.size(), " and ", dilations.size());
    return OkStatus();
  }
  /// The size along dimension `at`, for windows of a size.
  Status size(InferenceContext* context, const ShapeHandle& input, int at,
              DimensionOrConstant filter, DimensionHandle* out) const {
    const auto i = static_cast<std::size_t>(at);
    const auto pad = [&](std::size_t side) {
      return paddings.empty() ? 0 : paddings[2 * i + side];
    };
    return GetWindowedOutputSizeFromDimsV2(context, context->Dim(input, at), filter, dilations[i],
                                           strides[i], padding, pad(0), pad(1), out);
  }
};

Status convolution(InferenceContext* context, int spatial, bool depthwise) {
  const int dims = spatial + 2;
  ShapeHandle input, filter;
  TF_RETURN_IF_ERROR(context->WithRank(context->input(0), dims, &input));
  TF_RETURN_IF_ERROR(context->WithRank(context->input(1), dims, &filter));
  Windows windows;
  TF_RETURN_IF_ERROR(windows.read(context, dims));
  const int channels = GetTensorFeatureDimIndex(dims, windows.format);
  const DimensionHandle depth = context->Dim(input, channels), takes = context->Dim(filter, -2);
  DimensionHandle gives = context->Dim(filter, -1), unused;
  if (depthwise) {
    TF_RETURN_IF_ERROR(context->Merge(depth, takes, &unused));
    TF_RETURN_IF_ERROR(context->Multiply(takes, gives, &gives));
  } else if (depth.size >= 0 && takes.size >= 0 &&
             (takes.size == 0 || depth.size % takes.size != 0)) {
    return errors::InvalidArgument("Depth of input (", depth.size,
                                   ") is not a multiple of input depth of filter (", takes.size,
                                   ")");
  }
  std::vector<DimensionHandle> sizes(static_cast<std::size_t>(dims));
  sizes[0] = context->Dim(input, 0);
  sizes[static_cast<std::size_t>(channels)] = gives;
  for (int i = 0; i < spatial; ++i) {
    const int at = GetTensorSpatialDimIndex(dims, windows.format, i);
    TF_RETURN_IF_ERROR(windows.size(context, input, at, context->Dim(filter, i),
                                    &sizes[static_cast<std::size_t>(at)]));
  }
  context->set_output(0, context->MakeShape(sizes));
  return OkStatus();
}

Status pool(InferenceContext* context, int spatial) {
  const int dims = spatial + 2;
  ShapeHandle input;
  TF_RETURN_IF_ERROR(context->WithRank(context->input(0), dims, &input));
  Windows windows;
  TF_RETURN_IF_ERROR(windows.read(context, dims));
  std::vector<std::int64_t> filters;
  TF_RETURN_IF_ERROR(context->GetAttr("ksize", &filters));
  if (filters.size() != static_cast<std::size_t>(dims))
    return errors::InvalidArgument("ksize must have ", dims, " values, but has ", filters.size());
  std::vector<DimensionHandle> sizes(static_cast<std::size_t>(dims));
  for (int i = 0; i < dims; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (filters[at] <= 0) return errors::InvalidArgument("ksize must be > 0, got ", filters[at]);
    TF_RETURN_IF_ERROR(windows.size(context, input, i, filters[at], &sizes[at]));
  }
  context->set_output(0, context->MakeShape(sizes));
  return OkStatus();
}
}  // namespace

Status BatchMatMulV2Shape(InferenceContext* context) { return batchMatMul(context, true); }
Status BatchMatMulShape(InferenceContext* context) { return batchMatMul(context, false); }
Status Conv2DShape(InferenceContext* context) { return convolution(context, 2, false); }
Status Conv3DShape(InferenceContext* context) { return convolution(context, 3, false); }
Status DepthwiseConv2DNativeShape(InferenceContext* context) {
  return convolution(context, 2, true);
}
Status MaxPoolShape(InferenceContext* context) { return pool(context, 2); }
Status AvgPoolShape(InferenceContext* context) { return pool(context, 2); }
Status Pool3DShape(InferenceContext* context) { return pool(context, 3); }

Status BiasAddShape(InferenceContext* context) {
  ShapeHandle input, bias, out;
  TensorFormat format = FORMAT_NHWC;
  TF_RETURN_IF_ERROR(formatOf(context, &format));
  TF_RETURN_IF_ERROR(
      context->WithRankAtLeast(context->input(0), format == FORMAT_NHWC ? 2 : 3, &input));
  TF_RETURN_IF_ERROR(context->WithRank(context->input(1), 1, &bias));
  if (!input.known) return UnknownShape(context);
  const int at = GetTensorFeatureDimIndex(context->Rank(input), format);
  DimensionHandle merged;
  TF_RETURN_IF_ERROR(context->Merge(context->Dim(input, at), context->Dim(bias, 0), &merged));
  TF_RETURN_IF_ERROR(context->ReplaceDim(input, at, merged, &out));
  context->set_output(0, out);
  return OkStatus();
}
Status BiasAddGradShape(InferenceContext* context) {
  ShapeHandle input;
  TensorFormat format = FORMAT_NHWC;
  TF_RETURN_IF_ERROR(formatOf(context, &format));
  TF_RETURN_IF_ERROR(
      context->WithRankAtLeast(context->input(0), format == FORMAT_NHWC ? 2 : 3, &input));
  const int at = input.known ? GetTensorFeatureDimIndex(context->Rank(input), format) : 0;
  context->set_output(0, context->Vector(context->Dim(input, at)));
  return OkStatus();
}

namespace {
/// The size that the channels have, and the vectors `from` to `to` too, and the image with it.
Status channelsOf(InferenceContext* context, const ShapeHandle& image, int from, int to,
                  ShapeHandle* same, DimensionHandle* size) {
  TensorFormat format = FORMAT_NHWC;
  TF_RETURN_IF_ERROR(formatOf(context, &format));
  const int at = GetTensorFeatureDimIndex(context->Rank(image), format);
  *size = context->Dim(image, at);
  for (int i = from; i < to; ++i) {
    ShapeHandle vector;
    TF_RETURN_IF_ERROR(context->WithRank(context->input(i), 1, &vector));
    TF_RETURN_IF_ERROR(context->Merge(*size, context->Dim(vector, 0), size));
  }
  return context->ReplaceDim(image, at, *size, same);
}
}  // namespace

Status FusedBatchNormShape(InferenceContext* context) {
  ShapeHandle x, y;
  DimensionHandle channels;
  TF_RETURN_IF_ERROR(context->WithRank(context->input(0), 4, &x));
  bool training = true;
  if (context->HasAttr("is_training"))
    TF_RETURN_IF_ERROR(context->GetAttr("is_training", &training));
  const int vectors = std::min(training ? 3 : 5, context->num_inputs());
  TF_RETURN_IF_ERROR(channelsOf(context, x, 1, vectors, &y, &channels));
  context->set_output(0, y);
  for (int i = 1; i < std::min(5, context->num_outputs()); ++i)
    context->set_output(i, context->Vector(channels));
  return OkStatus();
}
Status FusedBatchNormGradShape(InferenceContext* context) {
  ShapeHandle gradient, x, merged, out;
  DimensionHandle channels;
  TF_RETURN_IF_ERROR(context->WithRank(context->input(0), 4, &gradient));
  TF_RETURN_IF_ERROR(context->WithRank(context->input(1), 4, &x));
  TF_RETURN_IF_ERROR(context->Merge(gradient, x, &merged));
  const int vectors = std::min(5, context->num_inputs());
  TF_RETURN_IF_ERROR(channelsOf(context, merged, 2, vectors, &out, &channels));
  context->set_output(0, out);
  for (int i = 1; i < context->num_outputs(); ++i)
    context->set_output(i, i < 3 ? context->Vector(channels) : context->Vector(0));
  return OkStatus();
}

Status ReductionShape(InferenceContext* context) {
  const ShapeHandle input = context->input(0);
  bool keeps = false;
  if (context->HasAttr("keep_dims")) TF_RETURN_IF_ERROR(context->GetAttr("keep_dims", &keeps));
  const Tensor* places = context->input_tensor(1);
  ShapeHandle indices;
  TF_RETURN_IF_ERROR(context->WithRankAtMost(context->input(1), 1, &indices));
  if (places == nullptr || !input.known) {
    context->set_output(0, keeps && input.known ? context->UnknownShapeOfRank(context->Rank(input))
                                                : context->UnknownShape());
    return OkStatus();
  }
  std::vector<bool> gone(input.sizes.size());
  for (std::int64_t i = 0; i < places->NumElements(); ++i) {
    if (places->dtype() != DT_INT32 && places->dtype() != DT_INT64)
      return errors::InvalidArgument("reduction_indices can only be int32 or int64");
    const std::int64_t given =
        places->dtype() == DT_INT32 ? places->flat<int32>()(i) : places->flat<int64>()(i);
    const std::int64_t rank = context->Rank(input), at = given < 0 ? given + rank : given;
    if (at < 0 || at >= rank)
      return errors::InvalidArgument("Invalid reduction dimension ", given, " for input with ",
                                     rank, " dimensions");
    gone[static_cast<std::size_t>(at)] = true;
  }
  std::vector<DimensionHandle> sizes;
  for (std::size_t i = 0; i < gone.size(); ++i)
    if (!gone[i])
      sizes.emplace_back(input.sizes[i]);
    else if (keeps)
      sizes.emplace_back(1);
  context->set_output(0, context->MakeShape(sizes));
  return OkStatus();
}

namespace {
Status concatenation(InferenceContext* context, int first, int count, int axisInput) {
  ShapeHandle scalar;
  TF_RETURN_IF_ERROR(context->WithRank(context->input(axisInput), 0, &scalar));
  const Tensor* axis = context->input_tensor(axisInput);
  ShapeHandle all = context->input(first);
  if (axis == nullptr || !all.known) {
    context->set_output(
        0, all.known ? context->UnknownShapeOfRank(context->Rank(all)) : context->UnknownShape());
    return OkStatus();
  }
  std::int64_t given = 0;
  TF_RETURN_IF_ERROR(context->GetScalarFromTensor(axis, &given));
  const std::int64_t rank = context->Rank(all), at = given < 0 ? given + rank : given;
  if (at < 0 || at >= rank)
    return errors::InvalidArgument("Expected concatenating dimensions in the range [", -rank, ", ",
                                   rank, "), but got ", given);
  DimensionHandle sum = context->Dim(all, at);
  for (int i = first + 1; i < first + count; ++i) {
    ShapeHandle other = context->input(i);
    TF_RETURN_IF_ERROR(context->WithRank(other, rank, &other));
    TF_RETURN_IF_ERROR(context->Add(sum, context->Dim(other, at), &sum));
    TF_RETURN_IF_ERROR(context->ReplaceDim(other, at, context->Dim(all, at), &other));
    TF_RETURN_IF_ERROR(context->Merge(all, other, &all));
  }
  TF_RETURN_IF_ERROR(context->ReplaceDim(all, at, sum, &all));
  context->set_output(0, all);
  return OkStatus();
}
}  // namespace

Status ConcatShape(InferenceContext* context, int tensors) {
  return concatenation(context, 1, tensors, 0);
}
Status ConcatV2Shape(InferenceContext* context) {
  return concatenation(context, 0, context->num_inputs() - 1, context->num_inputs() - 1);
}

Status SliceShape(InferenceContext* context) {
  const ShapeHandle input = context->input(0);
  ShapeHandle begin, size;
  TF_RETURN_IF_ERROR(context->MakeShapeFromShapeTensor(1, &begin));
  TF_RETURN_IF_ERROR(context->MakeShapeFromShapeTensor(2, &size));
  TF_RETURN_IF_ERROR(context->WithRank(begin, context->Rank(input), &begin));
  TF_RETURN_IF_ERROR(context->WithRank(size, context->Rank(input), &size));
  if (context->input_tensor(1) == nullptr || context->input_tensor(2) == nullptr) {
    context->set_output(0, context->UnknownShapeOfRank(context->Rank(input)));
    return OkStatus();
  }
  std::vector<DimensionHandle> sizes;
  for (std::size_t i = 0; i < input.sizes.size(); ++i) {
    const auto from = begin.sizes[i], all = input.sizes[i];
    const auto n = size.sizes[i] < 0 && all >= 0 ? all - from : size.sizes[i];
    if (from < 0 || (all >= 0 && (n < 0 || from + n > all)))
      return errors::InvalidArgument("Expected begin[", i, "] and size[", i, "] within [0, ", all,
                                     "], but got ", from, " and ", size.sizes[i]);
    sizes.emplace_back(n);
  }
  context->set_output(0, context->MakeShape(sizes));
  return OkStatus();
}

Status GatherNdShape(InferenceContext* context) {
  ShapeHandle params, indices, lead, rest, out;
  TF_RETURN_IF_ERROR(context->WithRankAtLeast(context->input(0), 1, &params));
  TF_RETURN_IF_ERROR(context->WithRankAtLeast(context->input(1), 1, &indices));
  const DimensionHandle depth = context->Dim(indices, -1);
  if (!params.known || depth.size < 0) return UnknownShape(context);
  if (depth.size > context->Rank(params))
    return errors::InvalidArgument("indices.shape[-1] must be <= params.rank, but saw indices: ",
                                   context->DebugString(indices),
                                   " and params: ", context->DebugString(params));
  TF_RETURN_IF_ERROR(context->Subshape(indices, 0, -1, &lead));
  TF_RETURN_IF_ERROR(context->Subshape(params, depth.size, &rest));
  TF_RETURN_IF_ERROR(context->Concatenate(lead, rest, &out));
  context->set_output(0, out);
  return OkStatus();
}

}  // namespace shape_inference
}  // namespace tensorflow
