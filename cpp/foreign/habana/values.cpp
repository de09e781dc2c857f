// TensorFlow's small types, as far as operators of Habana's API need them.
#include <habana/tf/values.hpp>

#include <algorithm>
#include <cmath>

namespace tensorflow {
namespace {

struct TypeRow {
  DataType type;
  const char* name;
  int size;
};
const TypeRow types[] = {
    {DT_FLOAT, "float", 4},
    {DT_DOUBLE, "double", 8},
    {DT_INT32, "int32", 4},
    {DT_UINT8, "uint8", 1},
    {DT_INT16, "int16", 2},
    {DT_INT8, "int8", 1},
    {DT_STRING, "string", 0},
    {DT_INT64, "int64", 8},
    {DT_BOOL, "bool", 1},
    {DT_BFLOAT16, "bfloat16", 2},
    {DT_UINT16, "uint16", 2},
    {DT_HALF, "half", 2},
    {DT_RESOURCE, "resource", 0},
    {DT_VARIANT, "variant", 0},
    {DT_UINT32, "uint32", 4},
    {DT_UINT64, "uint64", 8},
    {DT_COMPLEX64, "complex64", 8},
    {DT_COMPLEX128, "complex128", 16},
    {DT_QINT8, "qint8", 1},
    {DT_QUINT8, "quint8", 1},
    {DT_QINT32, "qint32", 4},
    {DT_QINT16, "qint16", 2},
    {DT_QUINT16, "quint16", 2},
    {DT_INT4, "int4", 1},
    {DT_UINT4, "uint4", 1},
    {DT_FLOAT8_E5M2, "float8_e5m2", 1},
    {DT_FLOAT8_E4M3FN, "float8_e4m3fn", 1},
};

const char* const codeNames[] = {
    "OK",
    "Cancelled",
    "Unknown",
    "Invalid argument",
    "Deadline exceeded",
    "Not found",
    "Already exists",
    "Permission denied",
    "Resource exhausted",
    "Failed precondition",
    "Aborted",
    "Out of range",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "Data loss",
    "Unauthenticated",
};

/// The value of an attribute as alternative `T`, converted by `convert`.
template <class T, class To, class Convert>
Status read(const NodeDef& node, StringPiece name, const char* kind, To* to,
            const Convert& convert) {
  const auto found = node.attr().find(std::string(name));
  if (found == node.attr().end())
    return errors::NotFound("no attribute '", name, "' in the operator ", node.op());
  const auto* value = std::get_if<T>(&found->second.value);
  // An empty list is one of any kind.
  static const T none{};
  const auto* empty = std::get_if<std::vector<std::int64_t>>(&found->second.value);
  if (value == nullptr && empty && empty->empty()) value = &none;
  if (value == nullptr || found->second.kind != kind)
    return errors::InvalidArgument("the attribute '", name, "' is of type ", found->second.kind,
                                   ", and asked for as ", kind);
  return convert(*value, to);
}

/// Converts values that the type can hold.
struct Convert {
  StringPiece name;

  template <class To, class From>
  Status operator()(const From& from, To* to) const {
    *to = static_cast<To>(from);
    return OkStatus();
  }
  Status operator()(std::int64_t from, std::int32_t* to) const {
    *to = static_cast<std::int32_t>(from);
    return *to == from ? OkStatus()
                       : errors::InvalidArgument("the attribute '", name, "' has the value ", from,
                                                 ", which does not fit an int32");
  }
  Status operator()(double from, float* to) const {
    *to = static_cast<float>(from);
    return std::isinf(*to) == std::isinf(from)
               ? OkStatus()
               : errors::InvalidArgument("the attribute '", name, "' has the value ", from,
                                         ", which does not fit a float");
  }
  Status operator()(const std::vector<std::int64_t>& from, PartialTensorShape* to) const {
    for (auto size : from)
      if (size < -1)
        return errors::InvalidArgument("the attribute '", name, "' has the size ", size);
    *to = PartialTensorShape(from);
    return OkStatus();
  }
  Status operator()(const std::vector<std::int64_t>& from, TensorShape* to) const {
    const PartialTensorShape partial(from);
    return partial.AsTensorShape(to)
               ? OkStatus()
               : errors::InvalidArgument("the attribute '", name, "' has the shape ", partial,
                                         ", of which not all is known");
  }
  template <class E, class From>
  Status operator()(const std::vector<From>& from, std::vector<E>* to) const {
    std::vector<E> made;
    for (const auto& each : from) {
      E one{};
      TF_RETURN_IF_ERROR((*this)(each, &one));
      made.push_back(one);
    }
    *to = std::move(made);
    return OkStatus();
  }
};

}  // namespace

const char* codeName(error::Code code) {
  return code >= 0 && code <= error::UNAUTHENTICATED ? codeNames[code] : "Unknown";
}

std::string DataTypeString(DataType type) {
  for (const auto& row : types)
    if (row.type == type) return row.name;
  return "type " + std::to_string(static_cast<int>(type));
}
DataType DataTypeNamed(StringPiece name) {
  for (const auto& row : types)
    if (name == row.name) return row.type;
  return name == "float16" ? DT_HALF : name == "float32" ? DT_FLOAT : DT_INVALID;
}
int DataTypeSize(DataType type) {
  for (const auto& row : types)
    if (row.type == type) return row.size;
  return 0;
}

std::string DataTypeVectorString(const DataTypeVector& types) {
  return absl::StrJoin(types, ", ",
                       [](std::string* to, DataType type) { *to += DataTypeString(type); });
}
std::string DataType_Name(DataType type) {
  const bool reference = IsRefType(type);
  for (const auto& row : types)
    if (row.type == RemoveRefType(type))
      return "DT_" + absl::AsciiStrToUpper(row.name) + (reference ? "_REF" : "");
  return type == DT_INVALID ? "DT_INVALID" : std::to_string(static_cast<int>(type));
}
bool DataType_IsValid(int type) {
  if (type == DT_INVALID) return true;
  for (const auto& row : types)
    if (row.type == RemoveRefType(static_cast<DataType>(type))) return true;
  return false;
}
namespace {
bool isAmong(DataType type, std::initializer_list<DataType> of) {
  return std::find(of.begin(), of.end(), type) != of.end();
}
}  // namespace
bool DataTypeIsFloating(DataType type) {
  return isAmong(type,
                 {DT_HALF, DT_BFLOAT16, DT_FLOAT, DT_DOUBLE, DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN});
}
bool DataTypeIsInteger(DataType type) {
  return DataTypeIsUnsigned(type) ||
         isAmong(type, {DT_INT4, DT_INT8, DT_INT16, DT_INT32, DT_INT64});
}
bool DataTypeIsUnsigned(DataType type) {
  return isAmong(type, {DT_UINT4, DT_UINT8, DT_UINT16, DT_UINT32, DT_UINT64});
}
bool DataTypeIsComplex(DataType type) { return isAmong(type, {DT_COMPLEX64, DT_COMPLEX128}); }
bool DataTypeIsQuantized(DataType type) {
  return isAmong(type, {DT_QINT8, DT_QUINT8, DT_QINT16, DT_QUINT16, DT_QINT32});
}

std::uint16_t halfBits(float from) {
  std::uint32_t word;
  std::memcpy(&word, &from, sizeof(word));
  const auto sign = static_cast<std::uint16_t>((word >> 16) & 0x8000u);
  const std::uint32_t magnitude = word & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  std::uint32_t bits;
  if (magnitude < 0x38800000u) {
    // Adding 0.5 leaves the units of a subnormal half as the last bits.
    float shifted;
    std::memcpy(&shifted, &magnitude, sizeof(shifted));
    shifted += 0.5F;
    std::memcpy(&bits, &shifted, sizeof(bits));
    bits -= 0x3f000000u;
  } else {
    bits = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | bits);
}
float halfValue(std::uint16_t bits) {
  const std::uint32_t exponent = (bits >> 10) & 31u, fraction = bits & 0x3ffu;
  float value;
  if (exponent == 0) {
    value = static_cast<float>(fraction) * 0x1p-24F;
  } else {
    const std::uint32_t word = (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | fraction
                                                                                             << 13;
    std::memcpy(&value, &word, sizeof(value));
  }
  return bits & 0x8000u ? -value : value;
}

Tensor::Tensor(DataType type, TensorShape shape) : type_(type), shape_(std::move(shape)) {
  for (auto size : shape_.dim_sizes())
    if (size < 0) throw std::runtime_error("a tensor has the shape " + shape_.DebugString());
  if (DataTypeSize(type) == 0)
    throw std::runtime_error("there are no tensors of " + DataTypeString(type) + " on the host");
  owned_ = std::shared_ptr<void>(std::calloc(std::max<std::size_t>(TotalBytes(), 1), 1), std::free);
  if (!owned_) throw std::bad_alloc();
  values_ = owned_.get();
}
bool Tensor::CopyFrom(const Tensor& other, const TensorShape& shape) {
  if (other.NumElements() != shape.num_elements()) return false;
  *this = other;
  shape_ = shape;
  return true;
}
void Tensor::check(DataType asked) const {
  const auto other = asked == DT_INT64 && type_ == DT_UINT64;
  if (asked != type_ && !other)
    throw std::runtime_error("a tensor of " + DataTypeString(type_) + " is read as one of " +
                             DataTypeString(asked));
}
void Tensor::checkRank(std::size_t asked) const {
  if (shape_.dim_sizes().size() != asked)
    throw std::runtime_error("a tensor of the shape " + shape_.DebugString() +
                             " is read as one of " + std::to_string(asked) + " dimensions");
}
void Tensor::checkElements(std::int64_t asked) const {
  if (NumElements() != asked)
    throw std::runtime_error("a tensor of the shape " + shape_.DebugString() +
                             (asked < 0
                                  ? " is read in a shape of another number of dimensions"
                                  : " is read as one of " + std::to_string(asked) + " elements"));
}
void Tensor::checkWritten() const {
  if (!owned_) throw std::runtime_error("values of the model are constants; they are not written");
}
std::string Tensor::SummarizeValue(std::int64_t most, bool) const {
  std::string text;
  const auto put = [&](const auto* values) {
    for (std::int64_t i = 0; i < NumElements() && i < most; ++i)
      text += absl::StrCat(i ? " " : "", values[i]);
  };
#define POPIR_TF_PUT(T) \
  if (type_ == DataTypeToEnum<T>::value) put(static_cast<const T*>(values_));
  TF_CALL_POD_TYPES(POPIR_TF_PUT)
#undef POPIR_TF_PUT
  return text + (NumElements() > most ? "..." : "");
}
std::string Tensor::DebugString(int most) const {
  return absl::StrCat("Tensor<type: ", DataTypeString(type_), " shape: ", shape_,
                      " values: ", SummarizeValue(most), ">");
}

PartialTensorShape AttrValue::shape() const {
  const auto* sizes = std::get_if<std::vector<std::int64_t>>(&value);
  return sizes && kind == "shape" ? PartialTensorShape(*sizes) : PartialTensorShape();
}
namespace {
std::string shown(const std::string& kind, bool value) {
  return kind == "bool" ? (value ? "true" : "false") : std::to_string(value);
}
std::string shown(const std::string& kind, std::int64_t value) {
  if (kind.find("type") != std::string::npos) return DataType_Name(static_cast<DataType>(value));
  if (kind == "list(bool)") return value ? "true" : "false";
  return std::to_string(value);
}
std::string shown(const std::string&, double value) { return absl::StrCat(value); }
std::string shown(const std::string&, const std::string& value) { return "\"" + value + "\""; }
template <class T>
std::string shown(const std::string& kind, const std::vector<T>& values) {
  return "[" +
         absl::StrJoin(values, ", ",
                       [&](std::string* to, const T& each) { *to += shown(kind, each); }) +
         "]";
}
}  // namespace
std::string AttrValue::DebugString() const {
  return std::visit([&](const auto& held) { return shown(kind, held); }, value);
}
std::string NodeDef::DebugString() const {
  std::string text = "{{node " + name_ + "}} = " + op_;
  if (!attributes_.empty())
    text += "[" +
            absl::StrJoin(attributes_, ", ",
                          [](std::string* to, const auto& each) {
                            *to += each.first + "=" + each.second.DebugString();
                          }) +
            "]";
  return text + "(" + absl::StrJoin(inputs_, ", ") + ")";
}

#define READ(T, kind, Held)                                          \
  Status readAttr(const NodeDef& node, StringPiece name, T* value) { \
    return read<Held>(node, name, kind, value, Convert{name});       \
  }
READ(std::int64_t, "int", std::int64_t)
READ(std::int32_t, "int", std::int64_t)
READ(long long, "int", std::int64_t)
READ(float, "float", double)
READ(double, "float", double)
READ(bool, "bool", bool)
READ(std::string, "string", std::string)
READ(DataType, "type", std::int64_t)
READ(TensorShape, "shape", std::vector<std::int64_t>)
READ(PartialTensorShape, "shape", std::vector<std::int64_t>)
READ(std::vector<std::int64_t>, "list(int)", std::vector<std::int64_t>)
READ(std::vector<std::int32_t>, "list(int)", std::vector<std::int64_t>)
READ(std::vector<long long>, "list(int)", std::vector<std::int64_t>)
READ(std::vector<float>, "list(float)", std::vector<double>)
READ(std::vector<double>, "list(float)", std::vector<double>)
READ(std::vector<bool>, "list(bool)", std::vector<std::int64_t>)
READ(std::vector<std::string>, "list(string)", std::vector<std::string>)
READ(std::vector<DataType>, "list(type)", std::vector<std::int64_t>)
READ(std::vector<TensorShape>, "list(shape)", std::vector<std::vector<std::int64_t>>)
READ(std::vector<PartialTensorShape>, "list(shape)", std::vector<std::vector<std::int64_t>>)
#undef READ

}  // namespace tensorflow
