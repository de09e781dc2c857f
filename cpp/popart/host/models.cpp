// Serialised models, and the classes of onnx/onnx_pb.h.
#include <popart/error.hpp>
#include <popart/filereader.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace popart {
namespace io {
namespace {

using namespace ONNX_NAMESPACE;

/// One field of a message: its number, and its value in the form that it has in the file.
struct Field {
  enum Form : unsigned { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

  uint64_t number;
  Form form;
  uint64_t bits;
  const char* data;
  std::size_t size;

  std::string text() const { return std::string(data, size); }
};

/// The bytes of a message in protobuf's encoding.
class Reader {
 public:
  Reader(const char* data, std::size_t size) : at_(data), end_(data + size) {}

  /// Reads a field. False at the end.
  bool next(Field& field) {
    if (at_ == end_) return false;
    const uint64_t tag = varint();
    field = {tag >> 3, static_cast<Field::Form>(tag & 7), 0, nullptr, 0};
    switch (field.form) {
      case Field::Varint: field.bits = varint(); break;
      case Field::Fixed64: field.bits = fixed<uint64_t>(); break;
      case Field::Fixed32: field.bits = fixed<uint32_t>(); break;
      case Field::Bytes:
        field.size = varint();
        field.data = take(field.size);
        break;
      default: fail();
    }
    return true;
  }

  bool isDone() const { return at_ == end_; }
  const char* at() const { return at_; }

  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(*take(1));
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail();
  }

  template <class T>
  T fixed() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }

 private:
  const char* take(std::size_t size) {
    if (size > static_cast<std::size_t>(end_ - at_)) fail();
    const char* const begin = at_;
    at_ += size;
    return begin;
  }
  [[noreturn]] static void fail() {
    throw error("The bytes are no serialised ONNX model, or are cut off");
  }

  const char* at_;
  const char* end_;
};

template <class T>
T floating(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);  // The low bytes: x86-64 is little-endian.
  return value;
}

/// Appends the numbers of a repeated field, which may be packed.
template <class T, class List>
void integers(const Field& field, List& list) {
  if (field.form != Field::Bytes) {
    list.push_back(static_cast<T>(field.bits));
    return;
  }
  for (Reader packed(field.data, field.size); !packed.isDone();)
    list.push_back(static_cast<T>(packed.varint()));
}

template <class T, class List>
void floats(const Field& field, List& list) {
  if (field.form != Field::Bytes) {
    list.push_back(floating<T>(field.bits));
    return;
  }
  for (Reader packed(field.data, field.size); !packed.isDone();) list.push_back(packed.fixed<T>());
}

// read(message, field): the numbers are those of onnx.proto. False for one that has no member.

bool read(GraphProto& graph, const Field& field);

/// How deep messages lie in one another. protobuf's limit is the same.
struct Depth {
  Depth() {
    if (levels >= 100) throw error("The messages of the model are nested more than 100 deep");
    ++levels;
  }
  ~Depth() { --levels; }
  static thread_local int levels;
};
thread_local int Depth::levels = 0;

template <class Message>
void fill(Message& message, const Field& field) {
  const Depth depth;
  Reader reader(field.data, field.size);
  const char* begin = field.data;
  for (Field each; reader.next(each); begin = reader.at())
    if (!read(message, each)) message.mutable_unknown_fields()->append(begin, reader.at());
}

bool read(TensorProto& tensor, const Field& field) {
  switch (field.number) {
    case 1: integers<int64_t>(field, *tensor.mutable_dims()); break;
    case 2: tensor.set_data_type(static_cast<int32_t>(field.bits)); break;
    case 4: floats<float>(field, *tensor.mutable_float_data()); break;
    case 5: integers<int32_t>(field, *tensor.mutable_int32_data()); break;
    case 7: integers<int64_t>(field, *tensor.mutable_int64_data()); break;
    case 8: tensor.set_name(field.text()); break;
    case 9: tensor.set_raw_data(field.text()); break;
    case 10: floats<double>(field, *tensor.mutable_double_data()); break;
    default: return false;
  }
  return true;
}

bool read(TensorShapeProto_Dimension& dimension, const Field& field) {
  if (field.number == 1) dimension.set_dim_value(static_cast<int64_t>(field.bits));
  if (field.number == 2) dimension.set_dim_param(field.text());
  return field.number == 1 || field.number == 2;
}

bool read(TensorShapeProto& shape, const Field& field) {
  if (field.number == 1) fill(*shape.add_dim(), field);
  return field.number == 1;
}

bool read(TypeProto_Tensor& type, const Field& field) {
  if (field.number == 1) type.set_elem_type(static_cast<int32_t>(field.bits));
  if (field.number == 2) fill(*type.mutable_shape(), field);
  return field.number == 1 || field.number == 2;
}

bool read(TypeProto& type, const Field& field) {
  if (field.number == 1) fill(*type.mutable_tensor_type(), field);
  return field.number == 1;
}

bool read(ValueInfoProto& value, const Field& field) {
  if (field.number == 1) value.set_name(field.text());
  if (field.number == 2) fill(*value.mutable_type(), field);
  return field.number == 1 || field.number == 2;
}

bool read(AttributeProto& attribute, const Field& field) {
  switch (field.number) {
    case 1: attribute.set_name(field.text()); break;
    case 2: attribute.set_f(floating<float>(field.bits)); break;
    case 3: attribute.set_i(static_cast<int64_t>(field.bits)); break;
    case 4: attribute.set_s(field.text()); break;
    case 5: fill(*attribute.mutable_t(), field); break;
    case 6: fill(*attribute.mutable_g(), field); break;
    case 7: floats<float>(field, *attribute.mutable_floats()); break;
    case 8: integers<int64_t>(field, *attribute.mutable_ints()); break;
    case 9: attribute.add_strings(field.text()); break;
    case 10: fill(*attribute.add_tensors(), field); break;
    case 11: fill(*attribute.add_graphs(), field); break;
    case 20: attribute.set_type(static_cast<AttributeProto::AttributeType>(field.bits)); break;
    default: return false;
  }
  return true;
}

bool read(NodeProto& node, const Field& field) {
  switch (field.number) {
    case 1: node.add_input(field.text()); break;
    case 2: node.add_output(field.text()); break;
    case 3: node.set_name(field.text()); break;
    case 4: node.set_op_type(field.text()); break;
    case 5: fill(*node.add_attribute(), field); break;
    case 7: node.set_domain(field.text()); break;
    default: return false;
  }
  return true;
}

bool read(GraphProto& graph, const Field& field) {
  switch (field.number) {
    case 1: fill(*graph.add_node(), field); break;
    case 2: graph.set_name(field.text()); break;
    case 5: fill(*graph.add_initializer(), field); break;
    case 11: fill(*graph.add_input(), field); break;
    case 12: fill(*graph.add_output(), field); break;
    case 13: fill(*graph.add_value_info(), field); break;
    default: return false;
  }
  return true;
}

bool read(OperatorSetIdProto& opset, const Field& field) {
  if (field.number == 1) opset.set_domain(field.text());
  if (field.number == 2) opset.set_version(static_cast<int64_t>(field.bits));
  return field.number == 1 || field.number == 2;
}

bool read(ModelProto& model, const Field& field) {
  switch (field.number) {
    case 1: model.set_ir_version(static_cast<int64_t>(field.bits)); break;
    case 7: fill(*model.mutable_graph(), field); break;
    case 8: fill(*model.add_opset_import(), field); break;
    default: return false;
  }
  return true;
}

/// Writes the fields of a message. One that has not been set is left out.
class Writer {
 public:
  void number(unsigned number, uint64_t value) {
    tag(number, Field::Varint);
    varint(value);
  }
  void bytes(unsigned number, const std::string& text) {
    tag(number, Field::Bytes);
    varint(text.size());
    out_ += text;
  }
  void real(unsigned number, float value) {
    tag(number, Field::Fixed32);
    raw(value);
  }
  template <class List>
  void packedNumbers(unsigned number, const List& values) {
    Writer packed;
    for (const auto value : values) packed.varint(static_cast<uint64_t>(value));
    if (!values.empty()) bytes(number, packed.out_);
  }
  template <class List>
  void packedReals(unsigned number, const List& values) {
    Writer packed;
    for (const auto value : values) packed.raw(value);
    if (!values.empty()) bytes(number, packed.out_);
  }
  template <class Message>
  void message(unsigned number, const Message& message) {
    const Depth depth;
    Writer inner;
    write(inner, message);
    bytes(number, inner.out_ + message.unknown_fields());
  }
  template <class List>
  void messages(unsigned number, const List& list) {
    for (const auto& each : list) message(number, each);
  }
  void texts(unsigned number, const std::vector<std::string>& list) {
    for (const std::string& each : list) bytes(number, each);
  }
  const std::string& written() const { return out_; }

 private:
  void tag(unsigned number, Field::Form form) { varint(number << 3 | form); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
    out_ += static_cast<char>(value);
  }
  template <class T>
  void raw(T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);  // x86-64 is little-endian.
    out_.append(bytes, sizeof value);
  }

  std::string out_;
};

void write(Writer& w, const TensorShapeProto_Dimension& dimension) {
  if (dimension.has_dim_value()) w.number(1, static_cast<uint64_t>(dimension.dim_value()));
  if (dimension.has_dim_param()) w.bytes(2, dimension.dim_param());
}

void write(Writer& w, const TensorShapeProto& shape) { w.messages(1, shape.dim()); }

void write(Writer& w, const TypeProto_Tensor& type) {
  if (type.has_elem_type()) w.number(1, static_cast<uint64_t>(type.elem_type()));
  if (type.has_shape()) w.message(2, type.shape());
}

void write(Writer& w, const TypeProto& type) {
  if (type.has_tensor_type()) w.message(1, type.tensor_type());
}

void write(Writer& w, const ValueInfoProto& value) {
  if (value.has_name()) w.bytes(1, value.name());
  if (value.has_type()) w.message(2, value.type());
}

void write(Writer& w, const TensorProto& tensor) {
  w.packedNumbers(1, tensor.dims());
  if (tensor.has_data_type()) w.number(2, static_cast<uint64_t>(tensor.data_type()));
  w.packedReals(4, tensor.float_data());
  w.packedNumbers(5, tensor.int32_data());
  w.packedNumbers(7, tensor.int64_data());
  if (tensor.has_name()) w.bytes(8, tensor.name());
  if (tensor.has_raw_data()) w.bytes(9, tensor.raw_data());
  w.packedReals(10, tensor.double_data());
}

void write(Writer& w, const GraphProto& graph);

void write(Writer& w, const AttributeProto& attribute) {
  if (attribute.has_name()) w.bytes(1, attribute.name());
  if (attribute.has_f()) w.real(2, attribute.f());
  if (attribute.has_i()) w.number(3, static_cast<uint64_t>(attribute.i()));
  if (attribute.has_s()) w.bytes(4, attribute.s());
  if (attribute.has_t()) w.message(5, attribute.t());
  if (attribute.has_g()) w.message(6, attribute.g());
  w.packedReals(7, attribute.floats());
  w.packedNumbers(8, attribute.ints());
  w.texts(9, attribute.strings());
  w.messages(10, attribute.tensors());
  w.messages(11, attribute.graphs());
  if (attribute.has_type()) w.number(20, static_cast<uint64_t>(attribute.type()));
}

void write(Writer& w, const NodeProto& node) {
  w.texts(1, node.input());
  w.texts(2, node.output());
  if (node.has_name()) w.bytes(3, node.name());
  if (node.has_op_type()) w.bytes(4, node.op_type());
  w.messages(5, node.attribute());
  if (node.has_domain()) w.bytes(7, node.domain());
}

void write(Writer& w, const GraphProto& graph) {
  w.messages(1, graph.node());
  if (graph.has_name()) w.bytes(2, graph.name());
  w.messages(5, graph.initializer());
  w.messages(11, graph.input());
  w.messages(12, graph.output());
  w.messages(13, graph.value_info());
}

void write(Writer& w, const OperatorSetIdProto& opset) {
  if (opset.has_domain()) w.bytes(1, opset.domain());
  if (opset.has_version()) w.number(2, static_cast<uint64_t>(opset.version()));
}

void write(Writer& w, const ModelProto& model) {
  if (model.has_ir_version()) w.number(1, static_cast<uint64_t>(model.ir_version()));
  if (model.has_graph()) w.message(7, model.graph());
  w.messages(8, model.opset_import());
}

}  // namespace

ModelProto getModelFromString(const std::string& modelProto) {
  ModelProto model;
  Field whole = {0, Field::Bytes, 0, modelProto.data(), modelProto.size()};
  fill(model, whole);
  return model;
}

std::string getSerializedModel(const ModelProto& model) {
  Writer writer;
  write(writer, model);
  return writer.written() + model.unknown_fields();
}

ModelProto getModelFromFile(const std::string& filename) {
  confirmRegularFile(filename);
  std::ifstream file(filename, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file) throw error("The model '{}' cannot be read", filename);
  return getModelFromString(bytes.str());
}

std::string getCanonicalDirName(const std::string& folder) {
  std::error_code fault;
  const auto path = std::filesystem::canonical(folder, fault);
  if (fault || !std::filesystem::is_directory(path)) throw error("There is no folder '{}'", folder);
  return path.string();
}

std::string appendDirFn(const std::string& folder, const std::string& filename) {
  return (std::filesystem::path(getCanonicalDirName(folder)) / filename).string();
}

std::vector<std::string> getMatchFns(const std::string& folder, const std::string& part) {
  std::vector<std::string> found;
  for (const auto& file : std::filesystem::directory_iterator(getCanonicalDirName(folder)))
    if (file.is_regular_file() && file.path().filename().string().find(part) != std::string::npos)
      found.push_back(file.path().string());
  std::sort(found.begin(), found.end());
  return found;
}

bool isRegularFile(const std::string& filename) {
  std::error_code fault;
  return std::filesystem::is_regular_file(filename, fault);
}

void confirmRegularFile(const std::string& filename) {
  if (!isRegularFile(filename)) throw error("There is no file '{}'", filename);
}

}  // namespace io
}  // namespace popart
