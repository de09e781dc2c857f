#include <popart/tensorinfo.hpp>

#include <cctype>

namespace popart {
namespace {

const DataTypeInfo& row(DataType type) { return getDataTypeInfoMap().at(type); }

}  // namespace

const std::map<DataType, DataTypeInfo>& getDataTypeInfoMap() {
  static const auto* const infos = [] {
    auto* made = new std::map<DataType, DataTypeInfo>();
    const auto add = [&](DataType type, const char* name, const char* lcase, int nbytes,
                         bool fixed) {
      made->emplace(type, DataTypeInfo(type, nbytes, fixed, name, lcase));
    };
    add(DataType::UINT8, "UINT8", "uint8", 1, true);
    add(DataType::INT8, "INT8", "int8", 1, true);
    add(DataType::FLOAT8_143, "FLOAT8_143", "float8_143", 1, false);
    add(DataType::FLOAT8_152, "FLOAT8_152", "float8_152", 1, false);
    add(DataType::UINT16, "UINT16", "uint16", 2, true);
    add(DataType::INT16, "INT16", "int16", 2, true);
    add(DataType::INT32, "INT32", "int32", 4, true);
    add(DataType::INT64, "INT64", "int64", 8, true);
    add(DataType::UINT32, "UINT32", "uint32", 4, true);
    add(DataType::UINT64, "UINT64", "uint64", 8, true);
    add(DataType::BOOL, "BOOL", "bool", 1, true);
    add(DataType::FLOAT, "FLOAT", "float32", 4, false);
    add(DataType::FLOAT16, "FLOAT16", "float16", 2, false);
    add(DataType::BFLOAT16, "BFLOAT16", "bfloat16", 2, false);
    add(DataType::DOUBLE, "DOUBLE", "float64", 8, false);
    add(DataType::COMPLEX64, "COMPLEX64", "complex64", 8, false);
    add(DataType::COMPLEX128, "COMPLEX128", "complex128", 16, false);
    add(DataType::STRING, "STRING", "string", 0, false);
    add(DataType::UNDEFINED, "UNDEFINED", "undefined", 0, false);
    return made;
  }();
  return *infos;
}

DataType dataTypeFromString(const std::string& s) {
  for (const auto& info : getDataTypeInfoMap())
    if (info.second.name() == s || info.second.lcasename() == s) return info.first;
  throw error("'{}' is not an element type; FLOAT, FLOAT16, INT32 and so on are", s);
}

const std::map<std::string, DataType>& getStrToDataTypeMap() {
  static const auto* const types = [] {
    auto* made = new std::map<std::string, DataType>();
    for (const auto& [type, info] : getDataTypeInfoMap()) {
      made->emplace(info.name(), type);
      made->emplace(info.lcasename(), type);
    }
    return made;
  }();
  return *types;
}

const std::string& getAllONNXTypesString() {
  static const auto* const text = [] {
    auto* made = new std::string("[");
    for (const auto& [type, info] : getDataTypeInfoMap()) *made += " " + info.name();
    *made += " ]";
    return made;
  }();
  return *text;
}

int64_t getONNXDataTypeAsInt(const DataType type) {
  // The order of onnx::TensorProto::DataType. Those of 8 bits have numbers since ONNX 1.14, and
  // other names there.
  static const std::vector<const char*> names = {
      "UNDEFINED", "FLOAT",  "UINT8",     "INT8",       "UINT16",  "INT16",
      "INT32",     "INT64",  "STRING",    "BOOL",       "FLOAT16", "DOUBLE",
      "UINT32",    "UINT64", "COMPLEX64", "COMPLEX128", "BFLOAT16"};
  const auto found = std::find(names.begin(), names.end(), row(type).name());
  if (found == names.end()) throw error("ONNX has no number of the element type {}", type);
  return found - names.begin();
}

std::ostream& operator<<(std::ostream& os, const DataType& type) { return os << row(type).name(); }

#define POPIR_DATA_TYPE(CPP, TYPE) \
  template <>                      \
  DataType getDataType<CPP>() {    \
    return DataType::TYPE;         \
  }
POPIR_DATA_TYPE(int8_t, INT8)
POPIR_DATA_TYPE(int16_t, INT16)
POPIR_DATA_TYPE(int32_t, INT32)
POPIR_DATA_TYPE(int64_t, INT64)
POPIR_DATA_TYPE(uint8_t, UINT8)
POPIR_DATA_TYPE(uint16_t, UINT16)
POPIR_DATA_TYPE(uint32_t, UINT32)
POPIR_DATA_TYPE(uint64_t, UINT64)
POPIR_DATA_TYPE(bool, BOOL)
POPIR_DATA_TYPE(float, FLOAT)
POPIR_DATA_TYPE(double, DOUBLE)
POPIR_DATA_TYPE(std::string, STRING)
#undef POPIR_DATA_TYPE

int64_t TensorInfo::nelms() const {
  return std::accumulate(shape_.begin(), shape_.end(), int64_t{1}, std::multiplies<int64_t>());
}

int64_t TensorInfo::nbytes() const { return nelms() * row(type_).nbytes(); }

int64_t TensorInfo::dim(int i) const {
  if (i < 0 || i >= rank()) throw error("A tensor of rank {} has no dimension {}", rank(), i);
  return shape_[static_cast<std::size_t>(i)];
}

const std::string& TensorInfo::data_type() const { return row(type_).name(); }

const std::string& TensorInfo::data_type_lcase() const { return row(type_).lcasename(); }

std::vector<int> TensorInfo::strides(const std::vector<long>& shape) const {
  std::vector<int> steps(shape.size());
  long step = row(type_).nbytes();
  for (std::size_t d = shape.size(); d-- > 0; step *= shape[d]) steps[d] = static_cast<int>(step);
  return steps;
}

Shape TensorInfo::shapeFromString(const std::string& text) {
  Shape shape;
  std::istringstream in(text);
  char c = 0;
  bool isRight = in >> c && c == '(';
  if (isRight && (in >> std::ws).peek() == ')') {
    in >> c;
  } else {
    for (int64_t size = 0; isRight && c != ')';) {
      isRight = in >> size >> c && size >= 0 && (c == ',' || c == ')');
      shape.push_back(size);
    }
  }
  if (!isRight || !(in >> std::ws).eof()) throw error("'{}' is no shape; (2,3) and () are", text);
  return shape;
}

void TensorInfo::append(std::ostream& os) const {
  os << type_ << " [";
  for (std::size_t d = 0; d < shape_.size(); ++d) os << (d ? " " : "") << shape_[d];
  os << "]";
}

std::ostream& operator<<(std::ostream& os, const TensorInfo& info) {
  info.append(os);
  return os;
}

Shape npOut(const Shape& a, const Shape& b, const std::string& who) {
  const std::size_t rank = std::max(a.size(), b.size());
  Shape out(rank);
  for (std::size_t fromEnd = 1; fromEnd <= rank; ++fromEnd) {
    const int64_t x = fromEnd <= a.size() ? a[a.size() - fromEnd] : 1;
    const int64_t y = fromEnd <= b.size() ? b[b.size() - fromEnd] : 1;
    if (x != y && x != 1 && y != 1)
      throw error("np broadcasting failed{}, frames {} and {} are not aligned",
                  who.empty() ? "" : " on '" + who + "'", a, b);
    out[rank - fromEnd] = x == 1 ? y : x;
  }
  return out;
}

bool npBroadcastable(const Shape& a, const Shape& b) {
  std::size_t overlap = 0;
  return npBroadcastable(a, b, overlap);
}

bool npBroadcastable(const Shape& a, const Shape& b, std::size_t& overlap) {
  const std::size_t both = std::min(a.size(), b.size());
  for (overlap = 0; overlap < both; ++overlap) {
    const int64_t x = a[a.size() - 1 - overlap], y = b[b.size() - 1 - overlap];
    if (x != y && x != 1 && y != 1) return false;
  }
  return true;
}

DataType getOutputDataType(const TensorInfo& a, const TensorInfo& b, const std::string& who) {
  if (a.dataType() != b.dataType())
    throw error("{}{}the inputs are of two types, {} and {}", who, who.empty() ? "" : ": ", a, b);
  return a.dataType();
}

std::vector<int64_t> npReductionAxis(const Shape& in, const Shape& out) {
  if (npOut(in, out) != out)
    throw error("A tensor of the shape {} does not broadcast to one of {}", in, out);
  const std::size_t added = out.size() - in.size();
  std::vector<int64_t> axes;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (i < added || in[i - added] != out[i]) axes.push_back(static_cast<int64_t>(i));
  return axes;
}

TensorInfo npOut(const TensorInfo& a, const TensorInfo& b, bool checkDataType,
                 const std::string& who) {
  const DataType type = checkDataType ? getOutputDataType(a, b, who) : a.dataType();
  return TensorInfo(type, npOut(a.shape(), b.shape(), who));
}

}  // namespace popart
