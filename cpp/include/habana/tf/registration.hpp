// How an operator library registers operators and kernels, with TensorFlow's macros.
#ifndef popir_habana_tf_registration_hpp
#define popir_habana_tf_registration_hpp

#include <functional>
#include <stdexcept>
#include <type_traits>

#include "values.hpp"

#pragma GCC visibility push(default)

namespace habana {
inline namespace v1 {
class BaseFunctor;
}
}  // namespace habana

namespace tensorflow {

namespace shape_inference {

/// A dimension: its size, or kUnknownDim.
struct DimensionHandle {
  std::int64_t size = -1;
};
/// A shape, which may be unknown.
struct ShapeHandle {
  bool known = false;
  std::vector<std::int64_t> sizes;
};
struct DimensionOrConstant {
  DimensionOrConstant(DimensionHandle dim) : size(dim.size) {}
  DimensionOrConstant(std::int64_t constant) : size(constant) {}
  DimensionOrConstant(int constant) : size(constant) {}
  std::int64_t size;
};

/// What a shape function works on: the shapes of the inputs, and the attributes.
class InferenceContext {
 public:
  static constexpr std::int64_t kUnknownDim = -1;
  static constexpr std::int32_t kUnknownRank = -1;

  InferenceContext(const NodeDef& node, std::vector<ShapeHandle> inputs, int outputs)
      : node_(node), inputs_(std::move(inputs)), outputs_(static_cast<std::size_t>(outputs)) {}

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  ShapeHandle input(int i) const { return inputs_.at(static_cast<std::size_t>(i)); }
  ShapeHandle output(int i) const { return outputs_.at(static_cast<std::size_t>(i)); }
  void set_output(int i, ShapeHandle shape) {
    outputs_.at(static_cast<std::size_t>(i)) = std::move(shape);
  }

  bool RankKnown(const ShapeHandle& s) const { return s.known; }
  std::int32_t Rank(const ShapeHandle& s) const {
    return s.known ? static_cast<std::int32_t>(s.sizes.size()) : kUnknownRank;
  }
  bool FullyDefined(const ShapeHandle& s) const {
    if (!s.known) return false;
    for (auto size : s.sizes)
      if (size < 0) return false;
    return true;
  }
  /// Negative indices count from the end.
  DimensionHandle Dim(const ShapeHandle& s, std::int64_t i) const {
    if (!s.known) return {};
    return {s.sizes.at(static_cast<std::size_t>(i < 0 ? i + Rank(s) : i))};
  }
  std::int64_t Value(DimensionOrConstant d) const { return d.size; }
  bool ValueKnown(DimensionOrConstant d) const { return d.size != kUnknownDim; }

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
  DimensionHandle UnknownDim() const { return {}; }
  ShapeHandle UnknownShape() const { return {}; }
  ShapeHandle UnknownShapeOfRank(std::int64_t rank) const {
    return {true, std::vector<std::int64_t>(static_cast<std::size_t>(rank), kUnknownDim)};
  }
  ShapeHandle Scalar() const { return {true, {}}; }
  ShapeHandle Vector(DimensionOrConstant d) const { return {true, {d.size}}; }
  ShapeHandle Matrix(DimensionOrConstant a, DimensionOrConstant b) const {
    return {true, {a.size, b.size}};
  }

  Status WithRank(const ShapeHandle& s, std::int64_t rank, ShapeHandle* out) const {
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
  Status Add(DimensionHandle a, DimensionOrConstant b, DimensionHandle* out) const {
    *out = {a.size < 0 || b.size < 0 ? kUnknownDim : a.size + b.size};
    return OkStatus();
  }
  Status Multiply(DimensionHandle a, DimensionOrConstant b, DimensionHandle* out) const {
    *out = {a.size < 0 || b.size < 0 ? kUnknownDim : a.size * b.size};
    return OkStatus();
  }
  Status Concatenate(const ShapeHandle& a, const ShapeHandle& b, ShapeHandle* out) const;
  Status Subshape(const ShapeHandle& s, std::int64_t start, std::int64_t end,
                  ShapeHandle* out) const;
  Status Subshape(const ShapeHandle& s, std::int64_t start, ShapeHandle* out) const;
  Status ReplaceDim(const ShapeHandle& s, std::int64_t i, DimensionHandle dim,
                    ShapeHandle* out) const;
  Status MakeShapeFromTensorShape(const TensorShape& shape, ShapeHandle* out) const {
    *out = {true, shape.dim_sizes()};
    return OkStatus();
  }

  template <class T>
  Status GetAttr(StringPiece name, T* value) const {
    return readAttr(node_, name, value);
  }
  std::string DebugString(const ShapeHandle& s) const;

 private:
  Status ranked(const ShapeHandle& s, bool wrong, const char* must, std::int64_t rank,
                ShapeHandle* out) const {
    if (wrong) return errors::InvalidArgument("Shape ", must, rank, " but is rank ", Rank(s));
    *out = s;
    return OkStatus();
  }
  const NodeDef& node_;
  std::vector<ShapeHandle> inputs_, outputs_;
};

Status UnchangedShape(InferenceContext* context);
Status UnchangedShapeWithRank(InferenceContext* context, std::int32_t rank);
Status UnchangedShapeWithRankAtLeast(InferenceContext* context, std::int32_t rank);
Status ScalarShape(InferenceContext* context);
Status UnknownShape(InferenceContext* context);
Status NoOutputs(InferenceContext* context);
Status MergeBothInputsShapeFn(InferenceContext* context);
Status BroadcastBinaryOpShapeFn(InferenceContext* context);
Status MatMulShape(InferenceContext* context);

}  // namespace shape_inference

typedef std::function<Status(shape_inference::InferenceContext*)> OpShapeInferenceFn;

/// What REGISTER_OP says of an operator.
class OpDefBuilder {
 public:
  explicit OpDefBuilder(std::string name) : name_(std::move(name)) {}
  OpDefBuilder& Input(std::string spec) { return put(inputs_, std::move(spec)); }
  OpDefBuilder& Output(std::string spec) { return put(outputs_, std::move(spec)); }
  OpDefBuilder& Attr(std::string spec) { return put(attributes_, std::move(spec)); }
  OpDefBuilder& SetShapeFn(OpShapeInferenceFn function) {
    shape_ = std::move(function);
    return *this;
  }
  OpDefBuilder& SetIsStateful() {
    stateful_ = true;
    return *this;
  }
  OpDefBuilder& SetIsCommutative() { return *this; }
  OpDefBuilder& SetIsAggregate() { return *this; }
  OpDefBuilder& SetAllowsUninitializedInput() { return *this; }
  OpDefBuilder& Doc(std::string text) {
    doc_ = std::move(text);
    return *this;
  }

  std::string name_, doc_;
  std::vector<std::string> inputs_, outputs_, attributes_;
  OpShapeInferenceFn shape_;
  bool stateful_ = false;

 private:
  OpDefBuilder& put(std::vector<std::string>& to, std::string spec) {
    to.push_back(std::move(spec));
    return *this;
  }
};

/// What REGISTER_KERNEL_BUILDER says of a kernel.
class KernelDefBuilder {
 public:
  explicit KernelDefBuilder(std::string op) : op_(std::move(op)) {}
  KernelDefBuilder& Device(const char* device) {
    device_ = device;
    return *this;
  }
  template <class T>
  KernelDefBuilder& TypeConstraint(const char* attribute) {
    return TypeConstraint(attribute, DataTypeToEnum<T>::value);
  }
  KernelDefBuilder& TypeConstraint(const char* attribute, DataType allowed) {
    return TypeConstraint(attribute, DataTypeVector{allowed});
  }
  KernelDefBuilder& TypeConstraint(const char* attribute, DataTypeVector allowed) {
    constraints_.emplace_back(attribute, std::move(allowed));
    return *this;
  }
  KernelDefBuilder& HostMemory(const char* argument) {
    host_.push_back(argument);
    return *this;
  }
  KernelDefBuilder& Label(const char* label) {
    label_ = label;
    return *this;
  }
  KernelDefBuilder& Priority(std::int32_t priority) {
    priority_ = priority;
    return *this;
  }

  std::string op_, device_, label_;
  std::vector<std::pair<std::string, DataTypeVector>> constraints_;
  std::vector<std::string> host_;
  std::int32_t priority_ = 0;
};

namespace register_kernel {
typedef tensorflow::KernelDefBuilder KernelDefBuilder;
class Name : public KernelDefBuilder {
 public:
  explicit Name(const char* op) : KernelDefBuilder(op) {}
};
/// A kernel that runs on the accelerator.
class ForHpuWithName : public KernelDefBuilder {
 public:
  explicit ForHpuWithName(const char* op) : KernelDefBuilder(op) { Device("HPU"); }
};
}  // namespace register_kernel

typedef std::unique_ptr<::habana::BaseFunctor> (*FunctorFactory)();

/// Notes the operator, or the kernel, for the library in whose memory `library` lies. They do not
/// throw; what is wrong is said when the library is loaded.
struct OpRegistration {
  OpRegistration(const OpDefBuilder& definition) noexcept;
};
struct KernelRegistration {
  KernelRegistration(const KernelDefBuilder& definition, FunctorFactory functor) noexcept;
};

}  // namespace tensorflow

#define POPIR_TF_JOIN(a, b) POPIR_TF_JOIN_(a, b)
#define POPIR_TF_JOIN_(a, b) a##b

#define REGISTER_OP(name)                                                         \
  static const ::tensorflow::OpRegistration POPIR_TF_JOIN(popir_op_, __COUNTER__) \
      __attribute__((unused)) = ::tensorflow::OpDefBuilder(name)

#define TF_EXTRACT_KERNEL_NAME_ForHpuWithName(name_str) name_str, ForHpuWithName(name_str)

#define REGISTER_KERNEL_BUILDER(builder, ...)                                             \
  static const ::tensorflow::KernelRegistration POPIR_TF_JOIN(popir_kernel_, __COUNTER__) \
      __attribute__((unused)) (                                                           \
          [] {                                                                            \
            using namespace ::tensorflow::register_kernel;                                \
            return static_cast<const ::tensorflow::KernelDefBuilder&>(builder);           \
          }(),                                                                            \
          &__VA_ARGS__::makeFunctor)

#define OP_REQUIRES(context, condition, ...)                    \
  do {                                                          \
    if (!TF_PREDICT_TRUE(condition)) {                          \
      CheckNotInComputeAsync((context), "OP_REQUIRES_ASYNC");   \
      (context)->CtxFailure(__FILE__, __LINE__, (__VA_ARGS__)); \
      return;                                                   \
    }                                                           \
  } while (0)
#define OP_REQUIRES_OK(context, ...)                                      \
  do {                                                                    \
    const ::tensorflow::Status popir_status = (__VA_ARGS__);              \
    if (!TF_PREDICT_TRUE(popir_status.ok())) {                            \
      CheckNotInComputeAsync((context), "OP_REQUIRES_OK_ASYNC");          \
      (context)->CtxFailureWithWarning(__FILE__, __LINE__, popir_status); \
      return;                                                             \
    }                                                                     \
  } while (0)

#pragma GCC visibility pop

#endif
