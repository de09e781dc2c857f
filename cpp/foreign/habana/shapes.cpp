// Shapes, as TensorFlow names what is done with them.
#include <habana/tf/shapes.hpp>

#include <algorithm>

namespace tensorflow {
namespace {

Status nonNegative(std::int64_t size) {
  if (size >= 0) return OkStatus();
  return errors::InvalidArgument("Expected a size of at least 0, got ", size);
}
Status among(int i, int count, const TensorShape& shape) {
  if (i >= 0 && i < count) return OkStatus();
  return errors::InvalidArgument("there is no dimension ", i, " in ", shape.DebugString());
}

}  // namespace

Status TensorShape::BuildTensorShape(absl::Span<const std::int64_t> sizes, TensorShape* out) {
  for (auto size : sizes) TF_RETURN_IF_ERROR(nonNegative(size));
  *out = TensorShape(sizes);
  return OkStatus();
}
Status TensorShape::AddDimWithStatus(std::int64_t size) {
  TF_RETURN_IF_ERROR(nonNegative(size));
  AddDim(size);
  return OkStatus();
}
Status TensorShape::InsertDimWithStatus(int i, std::int64_t size) {
  TF_RETURN_IF_ERROR(among(i, dims() + 1, *this));
  TF_RETURN_IF_ERROR(nonNegative(size));
  InsertDim(i, size);
  return OkStatus();
}
Status TensorShape::SetDimWithStatus(int i, std::int64_t size) {
  TF_RETURN_IF_ERROR(among(i, dims(), *this));
  TF_RETURN_IF_ERROR(nonNegative(size));
  set_dim(i, size);
  return OkStatus();
}
Status TensorShape::RemoveDimWithStatus(int i) {
  TF_RETURN_IF_ERROR(among(i, dims(), *this));
  RemoveDim(i);
  return OkStatus();
}
Status TensorShape::RemoveDimRangeWithStatus(int begin, int end) {
  const int from = begin < 0 ? begin + dims() + 1 : begin;
  const int to = end < 0 ? end + dims() + 1 : end;
  if (from < 0 || to > dims())
    return errors::InvalidArgument("there are no dimensions ", begin, " to ", end, " in ",
                                   DebugString());
  if (from < to) sizes_.erase(sizes_.begin() + from, sizes_.begin() + to);
  return OkStatus();
}
Status TensorShape::RemoveLastDimsWithStatus(int n) {
  if (n < 0 || n > dims())
    return errors::InvalidArgument("there are no ", n, " dimensions in ", DebugString());
  sizes_.resize(sizes_.size() - static_cast<std::size_t>(n));
  return OkStatus();
}

bool PartialTensorShape::IsFullyDefined() const {
  return known_ && std::all_of(sizes_.begin(), sizes_.end(), [](auto size) { return size >= 0; });
}
std::int64_t PartialTensorShape::num_elements() const {
  if (!IsFullyDefined()) return -1;
  return TensorShape(sizes_).num_elements();
}
bool PartialTensorShape::AsTensorShape(TensorShape* out) const {
  if (IsFullyDefined()) *out = TensorShape(sizes_);
  return IsFullyDefined();
}
bool PartialTensorShape::IsCompatibleWith(const PartialTensorShape& other) const {
  PartialTensorShape merged;
  return MergeWith(other, &merged).ok();
}
Status PartialTensorShape::MergeWith(const PartialTensorShape& other,
                                     PartialTensorShape* out) const {
  if (!known_ || !other.known_) {
    *out = known_ ? *this : other;
    return OkStatus();
  }
  PartialTensorShape merged = *this;
  bool fits = sizes_.size() == other.sizes_.size();
  for (std::size_t i = 0; fits && i < sizes_.size(); ++i) {
    if (sizes_[i] < 0) merged.sizes_[i] = other.sizes_[i];
    fits = sizes_[i] < 0 || other.sizes_[i] < 0 || sizes_[i] == other.sizes_[i];
  }
  if (!fits)
    return errors::InvalidArgument("Incompatible shapes during merge: ", DebugString(), " and ",
                                   other.DebugString());
  *out = merged;
  return OkStatus();
}
PartialTensorShape PartialTensorShape::Concatenate(const PartialTensorShape& other) const {
  if (!known_ || !other.known_) return {};
  PartialTensorShape all = *this;
  all.sizes_.insert(all.sizes_.end(), other.sizes_.begin(), other.sizes_.end());
  return all;
}
std::string PartialTensorShape::DebugString() const {
  if (!known_) return "<unknown>";
  return "[" +
         absl::StrJoin(sizes_, ",",
                       [](std::string* to, std::int64_t size) {
                         *to += size < 0 ? "?" : std::to_string(size);
                       }) +
         "]";
}

bool TensorShapeUtils::StartsWith(const TensorShape& s, const TensorShape& with) {
  const auto &a = s.dim_sizes(), &b = with.dim_sizes();
  return a.size() >= b.size() && std::equal(b.begin(), b.end(), a.begin());
}
bool TensorShapeUtils::EndsWith(const TensorShape& s, const TensorShape& with) {
  const auto &a = s.dim_sizes(), &b = with.dim_sizes();
  return a.size() >= b.size() && std::equal(b.rbegin(), b.rend(), a.rbegin());
}
std::string TensorShapeUtils::ShapeListString(const std::vector<TensorShape>& shapes) {
  return "[" + absl::StrJoin(shapes, ", ") + "]";
}
Status TensorShapeUtils::NumElements(absl::Span<const std::int64_t> sizes, std::int64_t* n) {
  std::int64_t product = 1;
  for (auto size : sizes) {
    product = MultiplyWithoutOverflow(product, size);
    if (product < 0)
      return errors::InvalidArgument("a shape of ", sizes.size(), " dimensions is too large");
  }
  *n = product;
  return OkStatus();
}

}  // namespace tensorflow
