// The messages of an ONNX model, as far as operators use them. After onnx/onnx_pb.h of ONNX.
//
// Plain classes with the accessors that protobuf would generate; protobuf is not needed. Everything
// is inline, so that no symbol clashes with ONNX's own in the same process.
#ifndef onnx_onnx_pb_h
#define onnx_onnx_pb_h

#include <cstddef>
#include <cstdint>
#include <istream>
#include <iterator>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#ifndef ONNX_NAMESPACE
#define ONNX_NAMESPACE onnx
#endif

#pragma GCC visibility push(default)

namespace ONNX_NAMESPACE {

// An optional field.
#define POPIR_ONNX_FIELD(TYPE, NAME)                                \
 public:                                                            \
  bool has_##NAME() const { return has_##NAME##_; }                 \
  const TYPE& NAME() const { return NAME##_; }                      \
  void set_##NAME(const TYPE& value) { *mutable_##NAME() = value; } \
  TYPE* mutable_##NAME() {                                          \
    has_##NAME##_ = true;                                           \
    return &NAME##_;                                                \
  }                                                                 \
  void clear_##NAME() {                                             \
    NAME##_ = TYPE();                                               \
    has_##NAME##_ = false;                                          \
  }                                                                 \
                                                                    \
 private:                                                           \
  TYPE NAME##_ = TYPE();                                            \
  bool has_##NAME##_ = false;

// A repeated field.
#define POPIR_ONNX_LIST(TYPE, NAME)                                                         \
 public:                                                                                    \
  int NAME##_size() const { return static_cast<int>(NAME##_.size()); }                      \
  const std::vector<TYPE>& NAME() const { return NAME##_; }                                 \
  const TYPE& NAME(int index) const { return NAME##_.at(static_cast<std::size_t>(index)); } \
  std::vector<TYPE>* mutable_##NAME() { return &NAME##_; }                                  \
  TYPE* mutable_##NAME(int index) { return &NAME##_.at(static_cast<std::size_t>(index)); }  \
  TYPE* add_##NAME() {                                                                      \
    NAME##_.emplace_back();                                                                 \
    return &NAME##_.back();                                                                 \
  }                                                                                         \
  void add_##NAME(const TYPE& value) { NAME##_.push_back(value); }                          \
  void clear_##NAME() { NAME##_.clear(); }                                                  \
                                                                                            \
 private:                                                                                   \
  std::vector<TYPE> NAME##_;

// The fields of a message that its class has no member for, as they lie in a file.
#define POPIR_ONNX_UNKNOWN                                       \
 public:                                                         \
  const std::string& unknown_fields() const { return unknown_; } \
  std::string* mutable_unknown_fields() { return &unknown_; }    \
                                                                 \
 private:                                                        \
  std::string unknown_;

/// A dimension: a number, a name, or neither (unknown).
class TensorShapeProto_Dimension {
  POPIR_ONNX_UNKNOWN
  POPIR_ONNX_FIELD(int64_t, dim_value)
  POPIR_ONNX_FIELD(std::string, dim_param)

 public:
  enum ValueCase { VALUE_NOT_SET = 0, kDimValue = 1, kDimParam = 2 };
  ValueCase value_case() const {
    return has_dim_value() ? kDimValue : has_dim_param() ? kDimParam : VALUE_NOT_SET;
  }
};

class TensorShapeProto {
  POPIR_ONNX_UNKNOWN
 public:
  using Dimension = TensorShapeProto_Dimension;

  POPIR_ONNX_LIST(TensorShapeProto_Dimension, dim)
};

class TypeProto_Tensor {
  POPIR_ONNX_UNKNOWN
  POPIR_ONNX_FIELD(int32_t, elem_type)
  POPIR_ONNX_FIELD(TensorShapeProto, shape)
};

/// The type of a value. Types other than tensors appear as VALUE_NOT_SET.
class TypeProto {
  POPIR_ONNX_UNKNOWN
 public:
  using Tensor = TypeProto_Tensor;
  enum ValueCase { VALUE_NOT_SET = 0, kTensorType = 1 };
  ValueCase value_case() const { return has_tensor_type() ? kTensorType : VALUE_NOT_SET; }

  POPIR_ONNX_FIELD(TypeProto_Tensor, tensor_type)
};

#define POPIR_ONNX_TYPES(X)                                                                     \
  X(UNDEFINED)                                                                                  \
  X(FLOAT)                                                                                      \
  X(UINT8)                                                                                      \
  X(INT8) X(UINT16) X(INT16) X(INT32) X(INT64) X(STRING) X(BOOL) X(FLOAT16) X(DOUBLE) X(UINT32) \
      X(UINT64) X(COMPLEX64) X(COMPLEX128) X(BFLOAT16)
enum TensorProto_DataType : int {
#define POPIR_ONNX_TYPE(NAME) TensorProto_DataType_##NAME,
  POPIR_ONNX_TYPES(POPIR_ONNX_TYPE)
#undef POPIR_ONNX_TYPE
};
/// "FLOAT" and so on; "" for a number that is none of them.
inline const std::string& TensorProto_DataType_Name(int type) {
#define POPIR_ONNX_TYPE(NAME) #NAME,
  static const std::vector<std::string> names = {POPIR_ONNX_TYPES(POPIR_ONNX_TYPE)};
#undef POPIR_ONNX_TYPE
  static const std::string none;
  const auto at = static_cast<std::size_t>(type);
  return at < names.size() ? names[at] : none;
}

/// A constant tensor. The values are in the field for its element type.
class TensorProto {
  POPIR_ONNX_UNKNOWN
 public:
  using DataType = TensorProto_DataType;
  static const std::string& DataType_Name(int type) { return TensorProto_DataType_Name(type); }
#define POPIR_ONNX_TYPE(NAME) static constexpr DataType NAME = TensorProto_DataType_##NAME;
  POPIR_ONNX_TYPES(POPIR_ONNX_TYPE)
#undef POPIR_ONNX_TYPE
#undef POPIR_ONNX_TYPES

  POPIR_ONNX_FIELD(std::string, name)
  POPIR_ONNX_FIELD(int32_t, data_type)
  POPIR_ONNX_FIELD(std::string, raw_data)
  POPIR_ONNX_LIST(int64_t, dims)
  POPIR_ONNX_LIST(float, float_data)
  POPIR_ONNX_LIST(int32_t, int32_data)
  POPIR_ONNX_LIST(int64_t, int64_data)
  POPIR_ONNX_LIST(double, double_data)
};

class GraphProto;

class AttributeProto {
  POPIR_ONNX_UNKNOWN
 public:
  enum AttributeType {
    UNDEFINED = 0,
    FLOAT,
    INT,
    STRING,
    TENSOR,
    GRAPH,
    FLOATS,
    INTS,
    STRINGS,
    TENSORS,
    GRAPHS
  };
  bool has_g() const { return g_ != nullptr; }
  const GraphProto& g() const;
  GraphProto* mutable_g();
  int graphs_size() const;
  const std::vector<GraphProto>& graphs() const { return graphs_; }
  GraphProto* add_graphs();

  POPIR_ONNX_FIELD(std::string, name)
  POPIR_ONNX_FIELD(AttributeType, type)
  POPIR_ONNX_FIELD(float, f)
  POPIR_ONNX_FIELD(int64_t, i)
  POPIR_ONNX_FIELD(std::string, s)
  POPIR_ONNX_FIELD(TensorProto, t)
  POPIR_ONNX_LIST(float, floats)
  POPIR_ONNX_LIST(int64_t, ints)
  POPIR_ONNX_LIST(std::string, strings)
  POPIR_ONNX_LIST(TensorProto, tensors)

 private:
  /// Shared by copies, since a graph is not modified after it was read.
  std::shared_ptr<GraphProto> g_;
  std::vector<GraphProto> graphs_;
};
using AttributeProto_AttributeType = AttributeProto::AttributeType;

class ValueInfoProto {
  POPIR_ONNX_UNKNOWN
  POPIR_ONNX_FIELD(std::string, name)
  POPIR_ONNX_FIELD(TypeProto, type)
};

class NodeProto {
  POPIR_ONNX_UNKNOWN
  POPIR_ONNX_LIST(std::string, input)
  POPIR_ONNX_LIST(std::string, output)
  POPIR_ONNX_FIELD(std::string, name)
  POPIR_ONNX_FIELD(std::string, op_type)
  POPIR_ONNX_FIELD(std::string, domain)
  POPIR_ONNX_LIST(AttributeProto, attribute)
};

class GraphProto {
  POPIR_ONNX_UNKNOWN
  POPIR_ONNX_LIST(NodeProto, node)
  POPIR_ONNX_FIELD(std::string, name)
  POPIR_ONNX_LIST(TensorProto, initializer)
  POPIR_ONNX_LIST(ValueInfoProto, input)
  POPIR_ONNX_LIST(ValueInfoProto, output)
  POPIR_ONNX_LIST(ValueInfoProto, value_info)
};

class OperatorSetIdProto {
  POPIR_ONNX_UNKNOWN
  POPIR_ONNX_FIELD(std::string, domain)
  POPIR_ONNX_FIELD(int64_t, version)
};

class ModelProto {
  POPIR_ONNX_UNKNOWN
  POPIR_ONNX_FIELD(int64_t, ir_version)
  POPIR_ONNX_LIST(OperatorSetIdProto, opset_import)
  POPIR_ONNX_FIELD(GraphProto, graph)

 public:
  /// Reads the model from the bytes of a file; false if they are none of a model.
  bool ParseFromString(const std::string& bytes);
  bool ParseFromArray(const void* bytes, int size) {
    return ParseFromString(std::string(static_cast<const char*>(bytes), size_t(size)));
  }
  bool ParseFromIstream(std::istream* in) {
    return ParseFromString(std::string(std::istreambuf_iterator<char>(*in), {}));
  }
  /// From the rest of a stream of protobuf's.
  template <class Coded>
  bool ParseFromCodedStream(Coded* in) {
    std::string bytes;
    const void* part = nullptr;
    for (int size = 0; in->GetDirectBufferPointer(&part, &size); in->Skip(size))
      bytes.append(static_cast<const char*>(part), size_t(size));
    return ParseFromString(bytes);
  }
  /// The bytes of a file.
  std::string SerializeAsString() const;
  bool SerializeToString(std::string* bytes) const {
    *bytes = SerializeAsString();
    return true;
  }
  bool SerializeToOstream(std::ostream* out) const {
    const std::string bytes = SerializeAsString();
    return bool(out->write(bytes.data(), std::streamsize(bytes.size())));
  }
};

inline const GraphProto& AttributeProto::g() const {
  static const GraphProto empty;
  return g_ ? *g_ : empty;
}
inline GraphProto* AttributeProto::mutable_g() {
  g_ = std::make_shared<GraphProto>(g());
  return g_.get();
}
inline int AttributeProto::graphs_size() const { return static_cast<int>(graphs_.size()); }
inline GraphProto* AttributeProto::add_graphs() {
  graphs_.emplace_back();
  return &graphs_.back();
}

#undef POPIR_ONNX_FIELD
#undef POPIR_ONNX_UNKNOWN
#undef POPIR_ONNX_LIST

}  // namespace ONNX_NAMESPACE

namespace popart {
namespace io {
ONNX_NAMESPACE::ModelProto getModelFromString(const std::string& modelProto);
std::string getSerializedModel(const ONNX_NAMESPACE::ModelProto& model);
}  // namespace io
}  // namespace popart

namespace ONNX_NAMESPACE {

inline bool ModelProto::ParseFromString(const std::string& bytes) {
  try {
    *this = popart::io::getModelFromString(bytes);
  } catch (const std::runtime_error&) {
    return false;
  }
  return true;
}
inline std::string ModelProto::SerializeAsString() const {
  return popart::io::getSerializedModel(*this);
}

}  // namespace ONNX_NAMESPACE

#pragma GCC visibility pop

#endif
