// Shapes of tensors.
#ifndef popir_habana_tf_shapes_hpp
#define popir_habana_tf_shapes_hpp

#include "types.hpp"

#pragma GCC visibility push(default)

namespace tensorflow {

/// A dimension, as a loop over a shape gives it.
struct TensorShapeDim {
  explicit TensorShapeDim(std::int64_t of) : size(of) {}
  std::int64_t size;
};
class TensorShapeIter {
 public:
  explicit TensorShapeIter(const std::int64_t* at) : at_(at) {}
  TensorShapeDim operator*() const { return TensorShapeDim(*at_); }
  TensorShapeIter& operator++() {
    ++at_;
    return *this;
  }
  bool operator==(const TensorShapeIter& other) const { return at_ == other.at_; }
  bool operator!=(const TensorShapeIter& other) const { return at_ != other.at_; }

 private:
  const std::int64_t* at_;
};

template <class C, class Shape>
using IsSizes = std::enable_if_t<
    std::is_integral<std::decay_t<decltype(*std::declval<const C&>().begin())>>::value>;

class TensorShape {
 public:
  TensorShape() = default;
  TensorShape(std::initializer_list<std::int64_t> sizes) : sizes_(sizes) {}
  /// Of a container of integers.
  template <class C, class = IsSizes<C, TensorShape>>
  explicit TensorShape(const C& sizes) : sizes_(sizes.begin(), sizes.end()) {}
  /// \returns an error for a negative size
  static Status BuildTensorShape(absl::Span<const std::int64_t> sizes, TensorShape* out);
  static Status BuildTensorShape(std::initializer_list<std::int64_t> sizes, TensorShape* out) {
    return BuildTensorShape(absl::Span<const std::int64_t>(sizes.begin(), sizes.size()), out);
  }

  static constexpr int MaxDimensions() { return 254; }
  int dims() const { return static_cast<int>(sizes_.size()); }
  bool unknown_rank() const { return false; }
  bool IsFullyDefined() const { return true; }
  std::int64_t dim_size(int i) const { return sizes_.at(static_cast<std::size_t>(i)); }
  const std::vector<std::int64_t>& dim_sizes() const { return sizes_; }
  TensorShapeIter begin() const { return TensorShapeIter(sizes_.data()); }
  TensorShapeIter end() const { return TensorShapeIter(sizes_.data() + sizes_.size()); }
  std::int64_t num_elements() const {
    std::int64_t n = 1;
    for (auto size : sizes_) n *= size;
    return n;
  }
  void AddDim(std::int64_t size) { sizes_.push_back(size); }
  void InsertDim(int i, std::int64_t size) { sizes_.insert(at(i, 1), size); }
  void RemoveDim(int i) { sizes_.erase(at(i, 0)); }
  /// Negative places count from the end, and -1 is behind the last.
  void RemoveDimRange(int begin, int end) { must(RemoveDimRangeWithStatus(begin, end)); }
  void RemoveLastDims(int n) { must(RemoveLastDimsWithStatus(n)); }
  void set_dim(int i, std::int64_t size) { *at(i, 0) = size; }
  void Clear() { sizes_.clear(); }
  void AppendShape(const TensorShape& other) {
    const auto more = other.sizes_;
    sizes_.insert(sizes_.end(), more.begin(), more.end());
  }
  // The same, with a status for what cannot be.
  Status AddDimWithStatus(std::int64_t size);
  Status InsertDimWithStatus(int i, std::int64_t size);
  Status SetDimWithStatus(int i, std::int64_t size);
  Status RemoveDimWithStatus(int i);
  Status RemoveDimRangeWithStatus(int begin, int end);
  Status RemoveLastDimsWithStatus(int n);
  Status AppendShapeWithStatus(const TensorShape& other) { return AppendShape(other), OkStatus(); }

  bool IsSameSize(const TensorShape& other) const { return sizes_ == other.sizes_; }
  bool operator==(const TensorShape& other) const { return sizes_ == other.sizes_; }
  bool operator!=(const TensorShape& other) const { return sizes_ != other.sizes_; }
  std::string DebugString() const {
    std::string text = "[";
    for (std::size_t i = 0; i < sizes_.size(); ++i)
      text += (i ? "," : "") + std::to_string(sizes_[i]);
    return text + "]";
  }

 private:
  std::vector<std::int64_t>::iterator at(int i, int more) {
    if (i < 0 || i >= dims() + more)
      throw std::out_of_range("there is no dimension " + std::to_string(i) + " in " +
                              DebugString());
    return sizes_.begin() + i;
  }
  static void must(const Status& status) {
    if (!status.ok()) throw std::out_of_range(status.error_message());
  }
  std::vector<std::int64_t> sizes_;
};
inline std::ostream& operator<<(std::ostream& to, const TensorShape& shape) {
  return to << shape.DebugString();
}

/// A shape of which sizes (-1), or the rank, are not known.
class PartialTensorShape {
 public:
  PartialTensorShape() = default;
  PartialTensorShape(std::initializer_list<std::int64_t> sizes) : known_(true), sizes_(sizes) {}
  PartialTensorShape(const TensorShape& shape) : known_(true), sizes_(shape.dim_sizes()) {}
  template <class C, class = IsSizes<C, PartialTensorShape>>
  explicit PartialTensorShape(const C& sizes) : known_(true), sizes_(sizes.begin(), sizes.end()) {}
  template <class T>
  static Status MakePartialShape(const T* sizes, int n, PartialTensorShape* out) {
    *out = PartialTensorShape(absl::Span<const T>(sizes, static_cast<std::size_t>(n)));
    return OkStatus();
  }

  bool unknown_rank() const { return !known_; }
  /// -1 for an unknown rank.
  int dims() const { return known_ ? static_cast<int>(sizes_.size()) : -1; }
  /// -1 for an unknown size.
  std::int64_t dim_size(int i) const {
    return known_ ? sizes_.at(static_cast<std::size_t>(i)) : -1;
  }
  const std::vector<std::int64_t>& dim_sizes() const { return sizes_; }
  TensorShapeIter begin() const { return TensorShapeIter(sizes_.data()); }
  TensorShapeIter end() const { return TensorShapeIter(sizes_.data() + sizes_.size()); }
  bool IsFullyDefined() const;
  /// -1 if it is not known.
  std::int64_t num_elements() const;
  void AddDim(std::int64_t size) {
    if (known_) sizes_.push_back(size);
  }
  void set_dim(int i, std::int64_t size) {
    if (known_) sizes_.at(static_cast<std::size_t>(i)) = size;
  }
  bool AsTensorShape(TensorShape* out) const;
  /// Whether a shape can be both.
  bool IsCompatibleWith(const PartialTensorShape& other) const;
  bool IsIdenticalTo(const PartialTensorShape& other) const {
    return known_ == other.known_ && sizes_ == other.sizes_;
  }
  Status MergeWith(const PartialTensorShape& other, PartialTensorShape* out) const;
  PartialTensorShape Concatenate(const PartialTensorShape& other) const;
  std::string DebugString() const;

 private:
  bool known_ = false;
  std::vector<std::int64_t> sizes_;
};
inline std::ostream& operator<<(std::ostream& to, const PartialTensorShape& shape) {
  return to << shape.DebugString();
}

struct TensorShapeUtils {
  static bool IsScalar(const TensorShape& s) { return s.dims() == 0; }
  static bool IsVector(const TensorShape& s) { return s.dims() == 1; }
  static bool IsVectorOrHigher(const TensorShape& s) { return s.dims() >= 1; }
  static bool IsScalarOrVector(const TensorShape& s) { return s.dims() <= 1; }
  static bool IsMatrix(const TensorShape& s) { return s.dims() == 2; }
  static bool IsMatrixOrHigher(const TensorShape& s) { return s.dims() >= 2; }
  static bool IsSquareMatrix(const TensorShape& s) {
    return s.dims() == 2 && s.dim_size(0) == s.dim_size(1);
  }
  /// Whether the shape can be that of one element.
  static bool IsSingleElement(const TensorShape& s) { return s.num_elements() == 1; }
  static bool StartsWith(const TensorShape& s, const TensorShape& with);
  static bool EndsWith(const TensorShape& s, const TensorShape& with);
  static std::string ShapeListString(const std::vector<TensorShape>& shapes);
  /// \returns an error for a negative size
  template <class T, class = std::enable_if_t<std::is_integral<T>::value>>
  static Status MakeShape(const T* sizes, std::int64_t n, TensorShape* out) {
    const std::vector<std::int64_t> wide(sizes, sizes + n);
    return TensorShape::BuildTensorShape(wide, out);
  }
  template <class C, class = IsSizes<C, TensorShape>>
  static Status MakeShape(const C& sizes, TensorShape* out) {
    const std::vector<std::int64_t> wide(sizes.begin(), sizes.end());
    return TensorShape::BuildTensorShape(wide, out);
  }
  /// \returns an error for a product that is negative or too large
  static Status NumElements(absl::Span<const std::int64_t> sizes, std::int64_t* n);
};

/// Whether 0 <= i < n.
template <class A, class B>
bool FastBoundsCheck(A i, B n) {
  return i >= A(0) && static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(n);
}
/// Negative if the product of two that are not is too large.
inline std::int64_t MultiplyWithoutOverflow(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) ? -1 : product;
}
inline std::int64_t AddWithoutOverflow(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) ? -1 : sum;
}
namespace internal {
/// A value that nothing else changes while it is checked.
template <class T>
T SubtleMustCopy(const T& value) {
  return static_cast<const volatile T&>(value);
}
}  // namespace internal

}  // namespace tensorflow

#pragma GCC visibility pop

#endif
