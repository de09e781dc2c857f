// What shape functions do with shapes and dimensions.
#include <habana/tf/inference.hpp>

#include <algorithm>

namespace tensorflow {
namespace shape_inference {

DimensionHandle InferenceContext::Dim(const ShapeHandle& s, std::int64_t i) const {
  if (!s.known) return UnknownDim();
  const auto rank = static_cast<std::int64_t>(s.sizes.size());
  const auto at = i < 0 ? i + rank : i;
  if (at < 0 || at >= rank)
    throw std::out_of_range(absl::StrCat("Dim: there is no dimension ", i, " in ", DebugString(s)));
  return {s.sizes[static_cast<std::size_t>(at)]};
}
DimensionHandle InferenceContext::NumElements(const ShapeHandle& s) const {
  if (!FullyDefined(s)) return UnknownDim();
  return {TensorShape(s.sizes).num_elements()};
}

namespace {
Status ofArgument(const char* what, StringPiece name,
                  const std::map<std::string, std::pair<int, int>>& names,
                  const std::vector<ShapeHandle>& all, std::vector<ShapeHandle>* shapes) {
  const auto found = names.find(std::string(name));
  if (found == names.end()) return errors::InvalidArgument("Unknown ", what, " name: ", name);
  const auto from = all.begin() + found->second.first;
  *shapes = std::vector<ShapeHandle>(from, from + found->second.second);
  return OkStatus();
}

/// The sizes in a tensor of one dimension.
template <class T>
std::vector<std::int64_t> sizesIn(const Tensor& t) {
  const auto values = t.flat<T>();
  return {values.begin(), values.end()};
}
}  // namespace

Status InferenceContext::input(StringPiece name, std::vector<ShapeHandle>* shapes) const {
  return ofArgument("input", name, known_.inputNames, known_.inputs, shapes);
}
Status InferenceContext::output(StringPiece name, std::vector<ShapeHandle>* shapes) const {
  return ofArgument("output", name, known_.outputNames, outputs_, shapes);
}
Status InferenceContext::set_output(StringPiece name, const std::vector<ShapeHandle>& shapes) {
  const auto found = known_.outputNames.find(std::string(name));
  if (found == known_.outputNames.end())
    return errors::InvalidArgument("Unknown output name: ", name);
  const auto [first, count] = found->second;
  if (shapes.size() != static_cast<std::size_t>(count))
    return errors::InvalidArgument("the output '", name, "' has ", count, " tensors; given are ",
                                   shapes.size(), " shapes");
  std::copy(shapes.begin(), shapes.end(), outputs_.begin() + first);
  return OkStatus();
}

// Sizes.

namespace {
/// A result that is unknown where an operand is.
template <class Function>
Status computed(DimensionHandle a, DimensionOrConstant b, DimensionHandle* out,
                const Function& function) {
  std::int64_t size = InferenceContext::kUnknownDim;
  if (a.size >= 0 && b.size >= 0) {
    size = function(a.size, b.size);
    if (size < 0)
      return errors::InvalidArgument("a dimension computed of ", a.size, " and ", b.size,
                                     " is negative or too large");
  }
  *out = {size};
  return OkStatus();
}
}  // namespace

Status InferenceContext::Add(DimensionHandle a, DimensionOrConstant b, DimensionHandle* out) const {
  return computed(a, b, out, AddWithoutOverflow);
}
Status InferenceContext::Subtract(DimensionHandle a, DimensionOrConstant b,
                                  DimensionHandle* out) const {
  return computed(a, b, out, [](std::int64_t x, std::int64_t y) { return x - y; });
}
Status InferenceContext::Multiply(DimensionHandle a, DimensionOrConstant b,
                                  DimensionHandle* out) const {
  if (a.size == 0 || b.size == 0) return *out = {0}, OkStatus();
  return computed(a, b, out, MultiplyWithoutOverflow);
}
Status InferenceContext::Divide(DimensionHandle a, DimensionOrConstant b, bool evenly,
                                DimensionHandle* out) const {
  if (b.size == 0) return errors::InvalidArgument("Divisor must be positive but is 0");
  if (evenly && a.size >= 0 && b.size > 0 && a.size % b.size != 0)
    return errors::InvalidArgument("Dimension size must be evenly divisible by ", b.size,
                                   " but is ", a.size);
  return computed(a, b, out, [](std::int64_t x, std::int64_t y) { return x / y; });
}
Status InferenceContext::Min(DimensionHandle a, DimensionOrConstant b, DimensionHandle* out) const {
  if (a.size == 0 || b.size == 0) return *out = {0}, OkStatus();
  return computed(a, b, out, [](std::int64_t x, std::int64_t y) { return std::min(x, y); });
}
Status InferenceContext::Max(DimensionHandle a, DimensionOrConstant b, DimensionHandle* out) const {
  return computed(a, b, out, [](std::int64_t x, std::int64_t y) { return std::max(x, y); });
}

// Values of inputs.

Status InferenceContext::GetScalarFromTensor(const Tensor* t, std::int64_t* value) const {
  if (t->dims() != 0 || (t->dtype() != DT_INT32 && t->dtype() != DT_INT64))
    return errors::InvalidArgument("a scalar of int32 or int64 is expected, but the input is ",
                                   t->DebugString());
  *value = t->dtype() == DT_INT32 ? t->scalar<std::int32_t>()() : t->scalar<std::int64_t>()();
  return OkStatus();
}
Status InferenceContext::MakeShapeFromTensor(const Tensor* t, const ShapeHandle& shapeOfTensor,
                                             ShapeHandle* out) const {
  if (t == nullptr) {
    ShapeHandle ofShape;
    TF_RETURN_IF_ERROR(WithRankAtMost(shapeOfTensor, 1, &ofShape));
    const bool counted = Rank(ofShape) == 1 && ValueKnown(Dim(ofShape, 0));
    *out = counted ? UnknownShapeOfRank(Value(Dim(ofShape, 0))) : UnknownShape();
    return OkStatus();
  }
  if (t->dtype() != DT_INT32 && t->dtype() != DT_INT64)
    return errors::InvalidArgument("Input tensor must be int32 or int64, but was ",
                                   DataTypeString(t->dtype()));
  const auto sizes = t->dtype() == DT_INT32 ? sizesIn<std::int32_t>(*t) : sizesIn<std::int64_t>(*t);
  if (t->dims() == 0) {
    if (sizes[0] != -1)
      return errors::InvalidArgument(
          "Input tensor must be rank 1, or if its rank is 0 it must "
          "have the value -1; it has ",
          sizes[0]);
    return *out = UnknownShape(), OkStatus();
  }
  if (t->dims() != 1)
    return errors::InvalidArgument("Input tensor must be rank 1, but was rank ", t->dims());
  for (auto size : sizes)
    if (size < -1) return errors::InvalidArgument("Invalid value in tensor used for shape: ", size);
  *out = {true, sizes};
  return OkStatus();
}
Status InferenceContext::MakeDimForScalarInput(int i, DimensionHandle* out) const {
  ShapeHandle scalar;
  TF_RETURN_IF_ERROR(WithRank(input(i), 0, &scalar));
  std::int64_t value = kUnknownDim;
  if (const Tensor* t = input_tensor(i)) {
    TF_RETURN_IF_ERROR(GetScalarFromTensor(t, &value));
    if (value < 0)
      return errors::InvalidArgument("Dimension size, given by scalar input ", i,
                                     ", must be non-negative but is ", value);
  }
  *out = {value};
  return OkStatus();
}
Status InferenceContext::MakeDimForScalarInputWithNegativeIndexing(int i, int rank,
                                                                   DimensionHandle* out) const {
  std::int64_t value = kUnknownDim;
  if (const Tensor* t = input_tensor(i)) {
    TF_RETURN_IF_ERROR(GetScalarFromTensor(t, &value));
    if (value < 0 && rank < 0) return *out = UnknownDim(), OkStatus();
    if (value < 0) value += rank;
    if (value < 0 || (rank >= 0 && value >= rank))
      return errors::InvalidArgument("Dimension size, given by scalar input ", i,
                                     ", must be in range [", -rank, ", ", rank, ")");
  }
  *out = {value};
  return OkStatus();
}

// Shapes.

Status InferenceContext::Merge(const ShapeHandle& a, const ShapeHandle& b, ShapeHandle* out) const {
  if (!a.known || !b.known) {
    *out = a.known ? a : b;
    return OkStatus();
  }
  if (a.sizes.size() != b.sizes.size())
    return errors::InvalidArgument("Shapes must be equal rank, but are ", Rank(a), " and ",
                                   Rank(b));
  ShapeHandle merged = a;
  for (std::size_t i = 0; i < a.sizes.size(); ++i) {
    if (a.sizes[i] >= 0 && b.sizes[i] >= 0 && a.sizes[i] != b.sizes[i])
      return errors::InvalidArgument("Dimension ", i, " in both shapes must be equal, but are ",
                                     a.sizes[i], " and ", b.sizes[i], ". Shapes are ",
                                     DebugString(a), " and ", DebugString(b));
    if (a.sizes[i] < 0) merged.sizes[i] = b.sizes[i];
  }
  *out = merged;
  return OkStatus();
}
Status InferenceContext::MergePrefix(const ShapeHandle& s, const ShapeHandle& prefix,
                                     ShapeHandle* out, ShapeHandle* prefixOut) const {
  if (!s.known || !prefix.known) {
    *out = s;
    *prefixOut = prefix;
    return OkStatus();
  }
  ShapeHandle begin, merged, rest;
  TF_RETURN_IF_ERROR(WithRankAtLeast(s, Rank(prefix), &begin));
  TF_RETURN_IF_ERROR(Subshape(s, 0, Rank(prefix), &begin));
  TF_RETURN_IF_ERROR(Subshape(s, Rank(prefix), &rest));
  TF_RETURN_IF_ERROR(Merge(begin, prefix, &merged));
  *prefixOut = merged;
  return Concatenate(merged, rest, out);
}
Status InferenceContext::Concatenate(const ShapeHandle& a, const ShapeHandle& b,
                                     ShapeHandle* out) const {
  if (!a.known || !b.known) return *out = UnknownShape(), OkStatus();
  ShapeHandle all = a;
  all.sizes.insert(all.sizes.end(), b.sizes.begin(), b.sizes.end());
  *out = all;
  return OkStatus();
}
Status InferenceContext::Subshape(const ShapeHandle& s, std::int64_t start, std::int64_t end,
                                  std::int64_t stride, ShapeHandle* out) const {
  if (stride == 0) return errors::InvalidArgument("Stride must not be zero");
  if (!s.known) return *out = UnknownShape(), OkStatus();
  const auto rank = static_cast<std::int64_t>(s.sizes.size());
  const auto last = stride < 0 ? rank - 1 : rank;
  // Backwards, an end behind the last leads to the first.
  const bool toFirst = stride < 0 && end > last;
  if (start < 0) start += rank;
  start = std::min(start, last);
  if (end < 0) end += rank;
  end = toFirst ? -1 : std::min(end, rank);
  if (start < 0 || end < -1 || (stride > 0 ? end < start : end > start))
    return errors::InvalidArgument("Subshape must have computed start <= end, but is ", start,
                                   " and ", end, " (computed from shape ", DebugString(s),
                                   " and stride ", stride, ")");
  ShapeHandle part{true, {}};
  for (std::int64_t i = start; stride > 0 ? i < end : i > end; i += stride)
    part.sizes.push_back(s.sizes[static_cast<std::size_t>(i)]);
  *out = part;
  return OkStatus();
}
Status InferenceContext::Subshape(const ShapeHandle& s, std::int64_t start,
                                  ShapeHandle* out) const {
  return Subshape(s, start, kint64max, 1, out);
}
Status InferenceContext::ReplaceDim(const ShapeHandle& s, std::int64_t i, DimensionHandle dim,
                                    ShapeHandle* out) const {
  ShapeHandle made = s;
  if (s.known) {
    const auto rank = static_cast<std::int64_t>(s.sizes.size());
    const auto at = i < 0 ? i + rank : i;
    if (at < 0 || at >= rank)
      return errors::InvalidArgument("Out of range dim_index ", i, " for shape with ", rank,
                                     " dimensions");
    made.sizes[static_cast<std::size_t>(at)] = dim.size;
  }
  *out = made;
  return OkStatus();
}
std::string InferenceContext::DebugString(const ShapeHandle& s) const {
  if (!s.known) return "?";
  std::string text = "[";
  for (std::size_t i = 0; i < s.sizes.size(); ++i)
    text += (i ? "," : "") + (s.sizes[i] < 0 ? std::string("?") : std::to_string(s.sizes[i]));
  return text + "]";
}

}  // namespace shape_inference
}  // namespace tensorflow
