// What Habana's TensorFlow API takes from TensorFlow: statuses, element types, shapes, tensors of
// the host, attributes. The names are TensorFlow's, so that operators compile unchanged; there is no
// TensorFlow behind them.
#ifndef popir_habana_tf_values_hpp
#define popir_habana_tf_values_hpp

#include <array>

#include "shapes.hpp"

#pragma GCC visibility push(default)

namespace tensorflow {

/// Elements in row-major order, by as many indices as there are dimensions.
template <class T, int N>
class TensorMap {
 public:
  typedef std::remove_const_t<T> Scalar;
  TensorMap(T* values, std::array<std::int64_t, N> sizes) : values_(values), sizes_(sizes) {}

  template <class... I>
  T& operator()(I... indices) const {
    static_assert(sizeof...(I) == N || sizeof...(I) == 0, "an index for each dimension");
    const std::array<std::int64_t, sizeof...(I)> given{static_cast<std::int64_t>(indices)...};
    std::int64_t at = 0;
    for (std::size_t d = 0; d < sizeof...(I); ++d) {
      if (given[d] < 0 || given[d] >= sizes_[d])
        throw std::out_of_range("the index " + std::to_string(given[d]) +
                                " is outside of a dimension of " + std::to_string(sizes_[d]));
      at = at * sizes_[d] + given[d];
    }
    return values_[at];
  }
  T& operator[](std::int64_t i) const { return values_[i]; }
  T* data() const { return values_; }
  std::int64_t size() const {
    std::int64_t n = 1;
    for (auto size : sizes_) n *= size;
    return n;
  }
  std::int64_t dimension(std::int64_t i) const { return sizes_.at(static_cast<std::size_t>(i)); }
  const std::array<std::int64_t, N>& dimensions() const { return sizes_; }
  static constexpr int rank() { return N; }
  T* begin() const { return values_; }
  T* end() const { return values_ + size(); }
  const TensorMap& setConstant(const Scalar& value) const {
    for (T& each : *this) each = value;
    return *this;
  }
  const TensorMap& setZero() const { return setConstant(Scalar(0)); }

 private:
  T* values_;
  std::array<std::int64_t, N> sizes_;
};
template <class T, int N = 1>
struct TTypes {
  typedef TensorMap<T, N> Tensor;
  typedef TensorMap<const T, N> ConstTensor;
  typedef TensorMap<T, 0> Scalar;
  typedef TensorMap<const T, 0> ConstScalar;
  typedef TensorMap<T, 1> Flat, Vec;
  typedef TensorMap<const T, 1> ConstFlat, ConstVec;
  typedef TensorMap<T, 2> Matrix;
  typedef TensorMap<const T, 2> ConstMatrix;
};

/// Values on the host. What HpuKernelContext::HostMemoryInput and InferenceContext::input_tensor give
/// cannot be written.
class Tensor {
 public:
  Tensor() : Tensor(DT_FLOAT, TensorShape({0})) {}
  /// A view.
  Tensor(DataType type, TensorShape shape, const void* values)
      : type_(type), shape_(std::move(shape)), values_(values) {}
  /// New values, zeros, which copies of the tensor share.
  Tensor(DataType type, TensorShape shape);
  /// A scalar.
  template <class T, DataType type = DataTypeToEnum<T>::value>
  explicit Tensor(const T& value) : Tensor(type, TensorShape()) {
    scalar<T>()() = value;
  }

  DataType dtype() const { return type_; }
  const TensorShape& shape() const { return shape_; }
  int dims() const { return shape_.dims(); }
  std::int64_t dim_size(int i) const { return shape_.dim_size(i); }
  std::int64_t NumElements() const { return shape_.num_elements(); }
  bool IsSameSize(const Tensor& other) const { return shape_ == other.shape_; }
  bool IsInitialized() const { return values_ != nullptr || NumElements() == 0; }
  bool SharesBufferWith(const Tensor& other) const {
    return values_ != nullptr && values_ == other.values_;
  }
  std::size_t TotalBytes() const {
    return static_cast<std::size_t>(NumElements()) * static_cast<std::size_t>(DataTypeSize(type_));
  }
  std::size_t AllocatedBytes() const { return TotalBytes(); }
  const void* data() const { return values_; }
  StringPiece tensor_data() const {
    return StringPiece(static_cast<const char*>(values_), TotalBytes());
  }
  /// Takes the values of another, in a shape of as many elements.
  bool CopyFrom(const Tensor& other, const TensorShape& shape);
  std::string SummarizeValue(std::int64_t most, bool = false) const;
  std::string DebugString() const { return DebugString(3); }
  std::string DebugString(int most) const;

  // Each throws std::runtime_error if the elements are of another type, or the rank is another; those
  // that can be written, also if the tensor is a view.
#define POPIR_TF_VIEW(T, constness, get)                                                   \
  template <class T, std::size_t N>                                                        \
  TensorMap<constness T, static_cast<int>(N)> tensor() constness {                         \
    checkRank(N);                                                                          \
    std::array<std::int64_t, N> sizes;                                                     \
    for (std::size_t i = 0; i < N; ++i) sizes[i] = dim_size(static_cast<int>(i));          \
    return {get<T>(), sizes};                                                              \
  }                                                                                        \
  template <class T>                                                                       \
  TensorMap<constness T, 1> flat() constness {                                             \
    return {get<T>(), {NumElements()}};                                                    \
  }                                                                                        \
  template <class T>                                                                       \
  TensorMap<constness T, 1> unaligned_flat() constness {                                   \
    return flat<T>();                                                                      \
  }                                                                                        \
  template <class T>                                                                       \
  TensorMap<constness T, 1> vec() constness {                                              \
    return tensor<T, 1>();                                                                 \
  }                                                                                        \
  template <class T>                                                                       \
  TensorMap<constness T, 2> matrix() constness {                                           \
    return tensor<T, 2>();                                                                 \
  }                                                                                        \
  template <class T>                                                                       \
  TensorMap<constness T, 0> scalar() constness {                                           \
    checkElements(1);                                                                      \
    return {get<T>(), {}};                                                                 \
  }                                                                                        \
  template <class T, std::size_t N>                                                        \
  TensorMap<constness T, static_cast<int>(N)> shaped(absl::Span<const std::int64_t> sizes) \
      constness {                                                                          \
    return {get<T>(), asArray<N>(sizes)};                                                  \
  }                                                                                        \
  template <class T>                                                                       \
  TensorMap<constness T, 2> flat_inner_dims() constness {                                  \
    const auto last = dims() > 0 ? dim_size(dims() - 1) : 1;                               \
    return {get<T>(), {last > 0 ? NumElements() / last : 0, last}};                        \
  }                                                                                        \
  template <class T>                                                                       \
  TensorMap<constness T, 2> flat_outer_dims() constness {                                  \
    const auto first = dims() > 0 ? dim_size(0) : 1;                                       \
    return {get<T>(), {first, first > 0 ? NumElements() / first : 0}};                     \
  }
  POPIR_TF_VIEW(T, , written)
  POPIR_TF_VIEW(T, const, read)
#undef POPIR_TF_VIEW

 private:
  void check(DataType asked) const;
  void checkRank(std::size_t asked) const;
  void checkElements(std::int64_t asked) const;
  void checkWritten() const;
  template <std::size_t N>
  std::array<std::int64_t, N> asArray(absl::Span<const std::int64_t> sizes) const {
    std::array<std::int64_t, N> found{};
    std::int64_t n = 1;
    if (sizes.size() == N)
      for (std::size_t i = 0; i < N; ++i) n *= found[i] = sizes[i];
    checkElements(sizes.size() == N ? n : -1);
    return found;
  }
  template <class T>
  const T* read() const {
    check(DataTypeToEnum<T>::value);
    return static_cast<const T*>(values_);
  }
  template <class T>
  T* written() {
    check(DataTypeToEnum<T>::value);
    checkWritten();
    return static_cast<T*>(owned_.get());
  }
  DataType type_;
  TensorShape shape_;
  std::shared_ptr<void> owned_;
  const void* values_ = nullptr;
};

/// The value of an attribute. A type is its number, a shape its sizes.
typedef std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                     std::vector<double>, std::vector<std::string>,
                     std::vector<std::vector<std::int64_t>>>
    AnyValue;

/// An attribute. The functions without arguments give the value, or none if it is another.
class AttrValue {
 public:
  /// The elements of an attribute that is a list.
  class ListValue {
   public:
    explicit ListValue(const AttrValue& of) : of_(of) {}
#define POPIR_TF_LIST(T, name, kind, Held)                                    \
  std::vector<T> name() const { return elements<T, Held>("list(" kind ")"); } \
  T name(int at) const { return name().at(static_cast<std::size_t>(at)); }    \
  int name##_size() const { return static_cast<int>(name().size()); }
    POPIR_TF_LIST(std::int64_t, i, "int", std::int64_t)
    POPIR_TF_LIST(float, f, "float", double)
    POPIR_TF_LIST(bool, b, "bool", std::int64_t)
    POPIR_TF_LIST(std::string, s, "string", std::string)
    POPIR_TF_LIST(DataType, type, "type", std::int64_t)
    POPIR_TF_LIST(PartialTensorShape, shape, "shape", std::vector<std::int64_t>)
#undef POPIR_TF_LIST

   private:
    template <class T, class Held>
    std::vector<T> elements(const char* kind) const {
      std::vector<T> found;
      if (of_.kind != kind) return found;
      if (const auto* held = std::get_if<std::vector<Held>>(&of_.value))
        for (const auto& each : *held) found.push_back(static_cast<T>(each));
      return found;
    }
    const AttrValue& of_;
  };

  std::int64_t i() const { return held<std::int64_t>("int"); }
  float f() const { return static_cast<float>(held<double>("float")); }
  bool b() const { return held<bool>("bool"); }
  std::string s() const { return held<std::string>("string"); }
  DataType type() const { return static_cast<DataType>(held<std::int64_t>("type")); }
  PartialTensorShape shape() const;
  ListValue list() const { return ListValue(*this); }
  std::string DebugString() const;

  /// "int", "float", "bool", "string", "type", "shape", or one of them as "list(...)".
  std::string kind;
  AnyValue value;

 private:
  template <class T>
  T held(const char* what) const {
    const auto* found = std::get_if<T>(&value);
    return found && kind == what ? *found : T();
  }
};

/// A node of the model: its name, its operator, its attributes, the tensors that it reads.
class NodeDef {
 public:
  NodeDef() = default;
  NodeDef(std::string name, std::string op, std::map<std::string, AttrValue> attributes,
          std::vector<std::string> inputs = {})
      : name_(std::move(name)),
        op_(std::move(op)),
        attributes_(std::move(attributes)),
        inputs_(std::move(inputs)) {}
  const std::string& name() const { return name_; }
  const std::string& op() const { return op_; }
  std::string device() const { return "/device:HPU:0"; }
  int input_size() const { return static_cast<int>(inputs_.size()); }
  const std::string& input(int i) const { return inputs_.at(static_cast<std::size_t>(i)); }
  const std::vector<std::string>& input() const { return inputs_; }
  const std::map<std::string, AttrValue>& attr() const { return attributes_; }
  int attr_size() const { return static_cast<int>(attributes_.size()); }
  std::string DebugString() const;
  std::string ShortDebugString() const { return DebugString(); }

 private:
  std::string name_, op_;
  std::map<std::string, AttrValue> attributes_;
  std::vector<std::string> inputs_;
};
inline std::string SummarizeNodeDef(const NodeDef& node, int = -1) { return node.DebugString(); }
inline std::string FormatNodeDefForError(const NodeDef& node) { return node.DebugString(); }

/// How windows are laid over an image's edges.
enum Padding { VALID = 1, SAME = 2, EXPLICIT = 3 };

/// Reads an attribute.
/// \returns an error for a name that the node does not have, for another kind, or for a value that
/// the type cannot hold
#define POPIR_TF_READ(T) Status readAttr(const NodeDef& node, StringPiece name, T* value)
POPIR_TF_READ(std::int64_t);
POPIR_TF_READ(std::int32_t);
POPIR_TF_READ(long long);
POPIR_TF_READ(float);
POPIR_TF_READ(double);
POPIR_TF_READ(bool);
POPIR_TF_READ(std::string);
POPIR_TF_READ(DataType);
POPIR_TF_READ(TensorShape);
POPIR_TF_READ(PartialTensorShape);
POPIR_TF_READ(Padding);
POPIR_TF_READ(std::vector<std::int64_t>);
POPIR_TF_READ(std::vector<std::int32_t>);
POPIR_TF_READ(std::vector<long long>);
POPIR_TF_READ(std::vector<float>);
POPIR_TF_READ(std::vector<double>);
POPIR_TF_READ(std::vector<bool>);
POPIR_TF_READ(std::vector<std::string>);
POPIR_TF_READ(std::vector<DataType>);
POPIR_TF_READ(std::vector<TensorShape>);
POPIR_TF_READ(std::vector<PartialTensorShape>);
#undef POPIR_TF_READ

/// The attributes of a node.
class AttrSlice {
 public:
  AttrSlice(const NodeDef& node) : node_(&node) {}
  explicit AttrSlice(const NodeDef* node) : node_(node) {}
  const NodeDef& node() const { return *node_; }
  const AttrValue* Find(StringPiece name) const {
    const auto found = node_->attr().find(std::string(name));
    return found == node_->attr().end() ? nullptr : &found->second;
  }
  std::string SummarizeNode() const { return node_->DebugString(); }

 private:
  const NodeDef* node_;
};
template <class T>
Status GetNodeAttr(const AttrSlice& attrs, StringPiece name, T* value) {
  return readAttr(attrs.node(), name, value);
}
template <class T>
bool TryGetNodeAttr(const AttrSlice& attrs, StringPiece name, T* value) {
  return readAttr(attrs.node(), name, value).ok();
}
inline bool HasNodeAttr(const NodeDef& node, StringPiece name) {
  return AttrSlice(node).Find(name) != nullptr;
}

}  // namespace tensorflow

#pragma GCC visibility pop

#endif
