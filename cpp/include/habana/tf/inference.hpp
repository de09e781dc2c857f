// What shape functions work with.
#ifndef popir_habana_tf_inference_hpp
#define popir_habana_tf_inference_hpp

#include "values.hpp"

#pragma GCC visibility push(default)

namespace tensorflow {
namespace shape_inference {

/// A dimension: its size, or kUnknownDim.
struct DimensionHandle {
  std::int64_t size = -1;
  bool set = false;
  DimensionHandle() = default;
  DimensionHandle(std::int64_t of) : size(of), set(true) {}
  bool IsSet() const { return set; }
  /// Whether both are known, and of one size.
  bool SameHandle(const DimensionHandle& other) const { return size >= 0 && size == other.size; }
};
/// A shape, which may be unknown.
struct ShapeHandle {
  bool known = false;
  std::vector<std::int64_t> sizes;
  bool set = false;
  ShapeHandle() = default;
  ShapeHandle(bool isKnown, std::vector<std::int64_t> of)
      : known(isKnown), sizes(std::move(of)), set(true) {}
  bool IsSet() const { return set; }
  /// Whether both are known, sizes too, and are equal.
  bool SameHandle(const ShapeHandle& other) const {
    bool same = known && other.known && sizes == other.sizes;
    for (auto size : sizes) same = same && size >= 0;
    return same;
  }
};
struct DimensionOrConstant {
  DimensionOrConstant(DimensionHandle dim) : size(dim.size) {}
  template <class T, class = std::enable_if_t<std::is_integral<T>::value>>
  DimensionOrConstant(T constant) : size(static_cast<std::int64_t>(constant)) {}
  std::int64_t size;
};

/// What is known of a node when its shapes are inferred.
struct KnownOfNode {
  std::vector<ShapeHandle> inputs;
  int outputs = 0;
  /// The values of inputs; null for those that are not known.
  std::vector<const Tensor*> values;
  /// By the names of arguments: the first input or output, and how many.
  std::map<std::string, std::pair<int, int>> inputNames, outputNames;
};

/// What a shape function works on: the shapes of the inputs, and the attributes.
class InferenceContext {
 public:
  static constexpr std::int64_t kUnknownDim = -1;
  static constexpr std::int32_t kUnknownRank = -1;

  InferenceContext(const NodeDef& node, KnownOfNode known)
      : node_(node), known_(std::move(known)), outputs_(static_cast<std::size_t>(known_.outputs)) {}

  int num_inputs() const { return static_cast<int>(known_.inputs.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  ShapeHandle input(std::int64_t i) const { return known_.inputs[place("input", i, num_inputs())]; }
  ShapeHandle output(std::int64_t i) const { return outputs_[place("output", i, num_outputs())]; }
  void set_output(int i, ShapeHandle shape) {
    outputs_[place("set_output", i, num_outputs())] = std::move(shape);
  }
  /// Those of an argument.
  Status input(StringPiece name, std::vector<ShapeHandle>* shapes) const;
  Status output(StringPiece name, std::vector<ShapeHandle>* shapes) const;
  Status set_output(StringPiece name, const std::vector<ShapeHandle>& shapes);
  /// The values of an input that is a constant; null for others.
  const Tensor* input_tensor(int i) const {
    const auto at = place("input_tensor", i, num_inputs());
    return at < known_.values.size() ? known_.values[at] : nullptr;
  }
  /// The shapes that inputs hold the sizes of; there are none besides those of input_tensor.
  const std::vector<ShapeHandle>& input_tensors_as_shapes() const { return asShapes_; }

  static bool RankKnown(const ShapeHandle& s) { return s.known; }
  static std::int32_t Rank(const ShapeHandle& s) {
    return s.known ? static_cast<std::int32_t>(s.sizes.size()) : kUnknownRank;
  }
  static std::int64_t Value(DimensionOrConstant d) { return d.size; }
  static bool ValueKnown(DimensionOrConstant d) { return d.size != kUnknownDim; }
  bool FullyDefined(const ShapeHandle& s) const {
    if (!s.known) return false;
    for (auto size : s.sizes)
      if (size < 0) return false;
    return true;
  }
  /// Negative indices count from the end.
  DimensionHandle Dim(const ShapeHandle& s, std::int64_t i) const;
  DimensionHandle DimKnownRank(const ShapeHandle& s, std::int64_t i) const { return Dim(s, i); }
  /// Unknown if a size is.
  DimensionHandle NumElements(const ShapeHandle& s) const;

  ShapeHandle MakeShape(const std::vector<DimensionHandle>& dims) const {
    ShapeHandle made{true, {}};
    for (auto dim : dims) made.sizes.push_back(dim.size);
    return made;
  }
  ShapeHandle MakeShape(std::initializer_list<DimensionOrConstant> dims) const {
    ShapeHandle made{true, {}};
    for (const auto& dim : dims) made.sizes.push_back(dim.size);
    return made;
  }
  DimensionHandle MakeDim(DimensionOrConstant d) const { return {d.size}; }
  DimensionHandle UnknownDim() const { return {kUnknownDim}; }
  ShapeHandle UnknownShape() const { return {false, {}}; }
  ShapeHandle UnknownShapeOfRank(std::int64_t rank) const {
    return {true, std::vector<std::int64_t>(static_cast<std::size_t>(rank), kUnknownDim)};
  }
  ShapeHandle Scalar() const { return {true, {}}; }
  ShapeHandle Vector(DimensionOrConstant d) const { return {true, {d.size}}; }
  ShapeHandle Matrix(DimensionOrConstant a, DimensionOrConstant b) const {
    return {true, {a.size, b.size}};
  }

  // Each returns an error for what cannot be.

  Status WithRank(const ShapeHandle& s, std::int64_t rank, ShapeHandle* out) const {
    if (!s.known && rank >= 0) return *out = UnknownShapeOfRank(rank), OkStatus();
    return ranked(s, s.known && Rank(s) != rank, "must be rank ", rank, out);
  }
  Status WithRankAtLeast(const ShapeHandle& s, std::int64_t rank, ShapeHandle* out) const {
    return ranked(s, s.known && Rank(s) < rank, "must be at least rank ", rank, out);
  }
  Status WithRankAtMost(const ShapeHandle& s, std::int64_t rank, ShapeHandle* out) const {
    return ranked(s, s.known && Rank(s) > rank, "must be at most rank ", rank, out);
  }
  Status WithValue(DimensionHandle d, std::int64_t value, DimensionHandle* out) const {
    if (d.size >= 0 && d.size != value)
      return errors::InvalidArgument("Dimension must be ", value, " but is ", d.size);
    *out = {value};
    return OkStatus();
  }
  Status Merge(DimensionHandle a, DimensionHandle b, DimensionHandle* out) const {
    if (a.size >= 0 && b.size >= 0 && a.size != b.size)
      return errors::InvalidArgument("Dimensions must be equal, but are ", a.size, " and ", b.size);
    *out = {a.size >= 0 ? a.size : b.size};
    return OkStatus();
  }
  Status Merge(const ShapeHandle& a, const ShapeHandle& b, ShapeHandle* out) const;
  /// Merges a shape with the begin of another; gives both.
  Status MergePrefix(const ShapeHandle& s, const ShapeHandle& prefix, ShapeHandle* out,
                     ShapeHandle* prefixOut) const;
  Status Add(DimensionHandle a, DimensionOrConstant b, DimensionHandle* out) const;
  Status Subtract(DimensionHandle a, DimensionOrConstant b, DimensionHandle* out) const;
  Status Multiply(DimensionHandle a, DimensionOrConstant b, DimensionHandle* out) const;
  Status Divide(DimensionHandle a, DimensionOrConstant b, bool evenly, DimensionHandle* out) const;
  Status Min(DimensionHandle a, DimensionOrConstant b, DimensionHandle* out) const;
  Status Max(DimensionHandle a, DimensionOrConstant b, DimensionHandle* out) const;
  Status Concatenate(const ShapeHandle& a, const ShapeHandle& b, ShapeHandle* out) const;
  Status Subshape(const ShapeHandle& s, std::int64_t start, ShapeHandle* out) const;
  Status Subshape(const ShapeHandle& s, std::int64_t start, std::int64_t end,
                  ShapeHandle* out) const {
    return Subshape(s, start, end, 1, out);
  }
  Status Subshape(const ShapeHandle& s, std::int64_t start, std::int64_t end, std::int64_t stride,
                  ShapeHandle* out) const;
  Status ReplaceDim(const ShapeHandle& s, std::int64_t i, DimensionHandle dim,
                    ShapeHandle* out) const;
  Status MakeShapeFromTensorShape(const TensorShape& shape, ShapeHandle* out) const {
    *out = {true, shape.dim_sizes()};
    return OkStatus();
  }
  Status MakeShapeFromPartialTensorShape(const PartialTensorShape& shape, ShapeHandle* out) const {
    *out = {!shape.unknown_rank(), shape.dim_sizes()};
    return OkStatus();
  }
  /// The shape whose sizes an input holds; as much of it as is known.
  Status MakeShapeFromShapeTensor(int i, ShapeHandle* out) const {
    return MakeShapeFromTensor(input_tensor(i), input(i), out);
  }
  Status MakeShapeFromShapeTensorTreatScalarAsUnknownShape(int i, ShapeHandle* out) const {
    if (Rank(input(i)) == 0) return *out = UnknownShape(), OkStatus();
    return MakeShapeFromShapeTensor(i, out);
  }
  Status MakeShapeFromTensor(const Tensor* t, const ShapeHandle& shapeOfTensor,
                             ShapeHandle* out) const;
  /// The dimension that an input is.
  Status MakeDimForScalarInput(int i, DimensionHandle* out) const;
  Status MakeDimForScalarInputWithNegativeIndexing(int i, int rank, DimensionHandle* out) const;
  Status GetScalarFromTensor(const Tensor* t, std::int64_t* value) const;

  template <class T>
  Status GetAttr(StringPiece name, T* value) const {
    return readAttr(node_, name, value);
  }
  bool HasAttr(StringPiece name) const { return HasNodeAttr(node_, name); }
  std::string DebugString(const ShapeHandle& s) const;
  std::string DebugString(const DimensionHandle& d) const {
    return d.size < 0 ? "?" : std::to_string(d.size);
  }
  std::string DebugString() const { return node_.DebugString(); }

 private:
  static std::size_t place(const char* who, std::int64_t i, int count) {
    if (i < 0 || i >= count)
      throw std::out_of_range(absl::StrCat(who, ": there is no ", i, "; the node has ", count));
    return static_cast<std::size_t>(i);
  }
  Status ranked(const ShapeHandle& s, bool wrong, const char* must, std::int64_t rank,
                ShapeHandle* out) const {
    if (wrong) return errors::InvalidArgument("Shape ", must, rank, " but is rank ", Rank(s));
    *out = s;
    return OkStatus();
  }
  const NodeDef& node_;
  KnownOfNode known_;
  std::vector<ShapeHandle> outputs_, asShapes_;
};

}  // namespace shape_inference
}  // namespace tensorflow

#pragma GCC visibility pop

#endif
