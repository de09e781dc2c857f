// What Habana's TensorFlow API takes from TensorFlow: statuses, element types, shapes, tensors of
// the host. The names are TensorFlow's, so that operators compile unchanged; there is no TensorFlow
// behind them.
#ifndef popir_habana_tf_values_hpp
#define popir_habana_tf_values_hpp

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)

namespace tensorflow {

typedef signed char int8;
typedef short int16;
typedef int int32;
typedef long long int64;
typedef unsigned char uint8;
typedef unsigned short uint16;
typedef unsigned int uint32;
typedef unsigned long long uint64;
typedef std::string tstring;
typedef std::string_view StringPiece;
using std::string;

/// A bfloat16; it converts to and from float.
struct bfloat16 {
  std::uint16_t value;
  bfloat16() = default;
  explicit bfloat16(float from) {
    std::uint32_t word;
    std::memcpy(&word, &from, sizeof(word));
    const bool nan = (word & 0x7fffffffu) > 0x7f800000u;
    value = static_cast<std::uint16_t>(nan ? (word >> 16) | 0x40u
                                           : (word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
  }
  operator float() const {
    const std::uint32_t word = static_cast<std::uint32_t>(value) << 16;
    float to;
    std::memcpy(&to, &word, sizeof(to));
    return to;
  }
};
/// The bits of a half.
struct half {
  std::uint16_t x;
};

// Statuses.

namespace error {
enum Code {
  OK = 0,
  CANCELLED = 1,
  UNKNOWN = 2,
  INVALID_ARGUMENT = 3,
  DEADLINE_EXCEEDED = 4,
  NOT_FOUND = 5,
  ALREADY_EXISTS = 6,
  PERMISSION_DENIED = 7,
  RESOURCE_EXHAUSTED = 8,
  FAILED_PRECONDITION = 9,
  ABORTED = 10,
  OUT_OF_RANGE = 11,
  UNIMPLEMENTED = 12,
  INTERNAL = 13,
  UNAVAILABLE = 14,
  DATA_LOSS = 15,
  UNAUTHENTICATED = 16
};
}  // namespace error

/// The name of a code, such as "Invalid argument".
const char* codeName(error::Code code);

class Status {
 public:
  Status() = default;
  Status(error::Code code, StringPiece message) : code_(code), message_(message) {}
  static Status OK() { return Status(); }

  bool ok() const { return code_ == error::OK; }
  error::Code code() const { return code_; }
  const std::string& error_message() const { return message_; }
  StringPiece message() const { return message_; }
  std::string ToString() const {
    return ok() ? std::string("OK") : std::string(codeName(code_)) + ": " + message_;
  }
  void Update(const Status& other) {
    if (ok()) *this = other;
  }
  void IgnoreError() const {}
  bool operator==(const Status& other) const {
    return code_ == other.code_ && message_ == other.message_;
  }
  bool operator!=(const Status& other) const { return !(*this == other); }

 private:
  error::Code code_ = error::OK;
  std::string message_;
};
inline Status OkStatus() { return Status(); }
inline std::ostream& operator<<(std::ostream& to, const Status& status) {
  return to << status.ToString();
}

namespace strings {
template <class... Parts>
std::string StrCat(const Parts&... parts) {
  std::ostringstream text;
  ((text << parts), ...);
  return text.str();
}
template <class... Parts>
void StrAppend(std::string* to, const Parts&... parts) {
  *to += StrCat(parts...);
}
}  // namespace strings

namespace errors {
typedef error::Code Code;
#define POPIR_TF_ERROR(name, number)                         \
  template <class... Parts>                                  \
  Status name(const Parts&... parts) {                       \
    return Status(error::number, strings::StrCat(parts...)); \
  }                                                          \
  inline bool Is##name(const Status& status) { return status.code() == error::number; }
POPIR_TF_ERROR(Cancelled, CANCELLED)
POPIR_TF_ERROR(Unknown, UNKNOWN)
POPIR_TF_ERROR(InvalidArgument, INVALID_ARGUMENT)
POPIR_TF_ERROR(DeadlineExceeded, DEADLINE_EXCEEDED)
POPIR_TF_ERROR(NotFound, NOT_FOUND)
POPIR_TF_ERROR(AlreadyExists, ALREADY_EXISTS)
POPIR_TF_ERROR(PermissionDenied, PERMISSION_DENIED)
POPIR_TF_ERROR(ResourceExhausted, RESOURCE_EXHAUSTED)
POPIR_TF_ERROR(FailedPrecondition, FAILED_PRECONDITION)
POPIR_TF_ERROR(Aborted, ABORTED)
POPIR_TF_ERROR(OutOfRange, OUT_OF_RANGE)
POPIR_TF_ERROR(Unimplemented, UNIMPLEMENTED)
POPIR_TF_ERROR(Internal, INTERNAL)
POPIR_TF_ERROR(Unavailable, UNAVAILABLE)
POPIR_TF_ERROR(DataLoss, DATA_LOSS)
POPIR_TF_ERROR(Unauthenticated, UNAUTHENTICATED)
#undef POPIR_TF_ERROR
}  // namespace errors

// Element types.

enum DataType {
  DT_INVALID = 0,
  DT_FLOAT = 1,
  DT_DOUBLE = 2,
  DT_INT32 = 3,
  DT_UINT8 = 4,
  DT_INT16 = 5,
  DT_INT8 = 6,
  DT_STRING = 7,
  DT_COMPLEX64 = 8,
  DT_INT64 = 9,
  DT_BOOL = 10,
  DT_BFLOAT16 = 14,
  DT_UINT16 = 17,
  DT_COMPLEX128 = 18,
  DT_HALF = 19,
  DT_RESOURCE = 20,
  DT_VARIANT = 21,
  DT_UINT32 = 22,
  DT_UINT64 = 23
};
typedef std::vector<DataType> DataTypeVector;

/// "float", "bfloat16" and so on, as REGISTER_OP spells them.
std::string DataTypeString(DataType type);
/// DT_INVALID for a name that is none.
DataType DataTypeNamed(StringPiece name);
/// In bytes; 0 for types without a size.
int DataTypeSize(DataType type);
inline const std::string DataType_Name(DataType type) { return DataTypeString(type); }

template <class T>
struct DataTypeToEnum;
#define POPIR_TF_TYPE(T, name)                       \
  template <>                                        \
  struct DataTypeToEnum<T> {                         \
    static constexpr DataType value = name;          \
    static DataType v() { return name; }             \
    static constexpr DataType ref() { return name; } \
  };
POPIR_TF_TYPE(float, DT_FLOAT)
POPIR_TF_TYPE(double, DT_DOUBLE)
POPIR_TF_TYPE(int8, DT_INT8)
POPIR_TF_TYPE(int16, DT_INT16)
POPIR_TF_TYPE(int32, DT_INT32)
POPIR_TF_TYPE(long long, DT_INT64)
POPIR_TF_TYPE(long, DT_INT64)
POPIR_TF_TYPE(uint8, DT_UINT8)
POPIR_TF_TYPE(uint16, DT_UINT16)
POPIR_TF_TYPE(uint32, DT_UINT32)
POPIR_TF_TYPE(unsigned long long, DT_UINT64)
POPIR_TF_TYPE(unsigned long, DT_UINT64)
POPIR_TF_TYPE(bool, DT_BOOL)
POPIR_TF_TYPE(bfloat16, DT_BFLOAT16)
POPIR_TF_TYPE(half, DT_HALF)
#undef POPIR_TF_TYPE

// Shapes and tensors.

class TensorShape {
 public:
  TensorShape() = default;
  TensorShape(std::initializer_list<std::int64_t> sizes) : sizes_(sizes) {}
  explicit TensorShape(std::vector<std::int64_t> sizes) : sizes_(std::move(sizes)) {}

  int dims() const { return static_cast<int>(sizes_.size()); }
  std::int64_t dim_size(int i) const { return sizes_.at(static_cast<std::size_t>(i)); }
  const std::vector<std::int64_t>& dim_sizes() const { return sizes_; }
  std::int64_t num_elements() const {
    std::int64_t n = 1;
    for (auto size : sizes_) n *= size;
    return n;
  }
  void AddDim(std::int64_t size) { sizes_.push_back(size); }
  void InsertDim(int i, std::int64_t size) { sizes_.insert(sizes_.begin() + i, size); }
  void RemoveDim(int i) { sizes_.erase(sizes_.begin() + i); }
  void RemoveLastDims(int n) { sizes_.resize(sizes_.size() - static_cast<std::size_t>(n)); }
  void set_dim(int i, std::int64_t size) { sizes_.at(static_cast<std::size_t>(i)) = size; }
  void Clear() { sizes_.clear(); }
  void AppendShape(const TensorShape& other) {
    sizes_.insert(sizes_.end(), other.sizes_.begin(), other.sizes_.end());
  }
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
  std::vector<std::int64_t> sizes_;
};
inline std::ostream& operator<<(std::ostream& to, const TensorShape& shape) {
  return to << shape.DebugString();
}
struct TensorShapeUtils {
  static bool IsScalar(const TensorShape& s) { return s.dims() == 0; }
  static bool IsVector(const TensorShape& s) { return s.dims() == 1; }
  static bool IsMatrix(const TensorShape& s) { return s.dims() == 2; }
};

/// Values on the host: what HpuKernelContext::HostMemoryInput gives. They cannot be written.
class Tensor {
 public:
  Tensor(DataType type, TensorShape shape, const void* values)
      : type_(type), shape_(std::move(shape)), values_(values) {}

  /// Elements in row-major order.
  template <class T>
  struct Flat {
    const T* values;
    std::int64_t count;
    const T& operator()(std::int64_t i) const { return values[i]; }
    const T& operator[](std::int64_t i) const { return values[i]; }
    const T& operator()() const { return values[0]; }
    const T* data() const { return values; }
    std::int64_t size() const { return count; }
    const T* begin() const { return values; }
    const T* end() const { return values + count; }
  };

  DataType dtype() const { return type_; }
  const TensorShape& shape() const { return shape_; }
  int dims() const { return shape_.dims(); }
  std::int64_t dim_size(int i) const { return shape_.dim_size(i); }
  std::int64_t NumElements() const { return shape_.num_elements(); }
  std::size_t TotalBytes() const {
    return static_cast<std::size_t>(NumElements()) * static_cast<std::size_t>(DataTypeSize(type_));
  }
  const void* data() const { return values_; }
  StringPiece tensor_data() const {
    return StringPiece(static_cast<const char*>(values_), TotalBytes());
  }
  /// \throws std::runtime_error if the elements are of another type
  template <class T>
  Flat<T> flat() const {
    check(DataTypeToEnum<T>::value);
    return {static_cast<const T*>(values_), NumElements()};
  }
  template <class T>
  Flat<T> vec() const {
    return flat<T>();
  }
  template <class T>
  Flat<T> scalar() const {
    return flat<T>();
  }

 private:
  void check(DataType asked) const;
  DataType type_;
  TensorShape shape_;
  const void* values_;
};

/// The value of an attribute. A type is its number, a shape its sizes.
typedef std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>,
                     std::vector<double>, std::vector<std::string>>
    AttrValue;
struct Attr {
  /// "int", "float", "bool", "string", "type", "shape", or one of them as "list(...)".
  std::string kind;
  AttrValue value;
};

/// A node of the model: its name, its operator, its attributes.
class NodeDef {
 public:
  NodeDef() = default;
  NodeDef(std::string name, std::string op, std::map<std::string, Attr> attributes)
      : name_(std::move(name)), op_(std::move(op)), attributes_(std::move(attributes)) {}
  const std::string& name() const { return name_; }
  const std::string& op() const { return op_; }
  const std::map<std::string, Attr>& attr() const { return attributes_; }

 private:
  std::string name_, op_;
  std::map<std::string, Attr> attributes_;
};

/// Reads an attribute.
/// \returns an error for a name that the node does not have, or for another kind
Status readAttr(const NodeDef& node, StringPiece name, std::int64_t* value);
Status readAttr(const NodeDef& node, StringPiece name, int* value);
Status readAttr(const NodeDef& node, StringPiece name, long long* value);
Status readAttr(const NodeDef& node, StringPiece name, float* value);
Status readAttr(const NodeDef& node, StringPiece name, bool* value);
Status readAttr(const NodeDef& node, StringPiece name, std::string* value);
Status readAttr(const NodeDef& node, StringPiece name, DataType* value);
Status readAttr(const NodeDef& node, StringPiece name, TensorShape* value);
Status readAttr(const NodeDef& node, StringPiece name, std::vector<std::int64_t>* value);
Status readAttr(const NodeDef& node, StringPiece name, std::vector<int>* value);
Status readAttr(const NodeDef& node, StringPiece name, std::vector<float>* value);
Status readAttr(const NodeDef& node, StringPiece name, std::vector<std::string>* value);

}  // namespace tensorflow

namespace Eigen {
typedef tensorflow::half half;
typedef tensorflow::bfloat16 bfloat16;
}  // namespace Eigen

#define TF_RETURN_IF_ERROR(...)                              \
  do {                                                       \
    const ::tensorflow::Status popir_status = (__VA_ARGS__); \
    if (!popir_status.ok()) return popir_status;             \
  } while (0)
#define TF_CHECK_OK(...)                                                       \
  do {                                                                         \
    const ::tensorflow::Status popir_status = (__VA_ARGS__);                   \
    if (!popir_status.ok()) throw std::runtime_error(popir_status.ToString()); \
  } while (0)
#define TF_DISALLOW_COPY_AND_ASSIGN(Type) \
  Type(const Type&) = delete;             \
  void operator=(const Type&) = delete
#define TF_PREDICT_FALSE(x) (__builtin_expect(!!(x), 0))
#define TF_PREDICT_TRUE(x) (__builtin_expect(!!(x), 1))

#pragma GCC visibility pop

#endif
