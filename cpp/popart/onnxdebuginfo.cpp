// What nodes and tensors of a model say of themselves in a file of debug information.
#include <popart/onnxdebuginfo.hpp>

#include <sstream>
#include <string>

namespace popart {
namespace {

using ONNX_NAMESPACE::AttributeProto;
using ONNX_NAMESPACE::TensorProto;
using ONNX_NAMESPACE::ValueInfoProto;

template <class T>
std::string listed(const std::vector<T>& values) {
  std::ostringstream text;
  const char* between = "";
  text << "[";
  for (const T& value : values) {
    text << between << value;
    between = " ";
  }
  text << "]";
  return text.str();
}

ProfileValue valueOf(const TensorProto& proto) {
  ProfileValue::Map values;
  values.emplace("name", proto.name());
  values.emplace("dims", listed(proto.dims()));
  values.emplace("dataType", ONNX_NAMESPACE::TensorProto_DataType_Name(proto.data_type()));
  return values;
}

/// The shape of a tensor, if the model says it; a dimension without a number is 0.
ProfileValue valueOf(const ValueInfoProto& proto) {
  ProfileValue::Map values;
  values.emplace("name", proto.name());
  if (!proto.has_type()) return values;
  ProfileValue::Map type;
  if (proto.type().tensor_type().has_shape()) {
    Shape shape;
    for (const auto& dim : proto.type().tensor_type().shape().dim())
      shape.push_back(dim.dim_value());
    type.emplace("shape", listed(shape));
  }
  values.emplace("type", std::move(type));
  return values;
}

ProfileValue valueOf(const AttributeProto& attribute) {
  switch (attribute.type()) {
    case AttributeProto::FLOAT: return ProfileValue(attribute.f());
    case AttributeProto::INT: return ProfileValue(attribute.i());
    case AttributeProto::STRING: return ProfileValue(attribute.s());
    case AttributeProto::TENSOR: return valueOf(attribute.t());
    case AttributeProto::FLOATS: return ProfileValue(listed(attribute.floats()));
    case AttributeProto::INTS: return ProfileValue(listed(attribute.ints()));
    case AttributeProto::STRINGS: return ProfileValue(listed(attribute.strings()));
    case AttributeProto::UNDEFINED: return ProfileValue("UNDEFINED");
    case AttributeProto::GRAPH:
    case AttributeProto::GRAPHS:
    case AttributeProto::TENSORS: break;
  }
  return ProfileValue("<TYPE NOT SUPPORTED>");
}

ProfileValue::Vector valuesOf(const std::vector<std::string>& ids) {
  return {ids.begin(), ids.end()};
}

}  // namespace

OnnxOpDebugInfo::OnnxOpDebugInfo(const DebugContext& debugContext,
                                 const ONNX_NAMESPACE::NodeProto& node)
    : DebugInfo(debugContext, "onnx") {
  ProfileValue::Map attributes;
  for (const AttributeProto& attribute : node.attribute())
    attributes.emplace(attribute.name(), valueOf(attribute));
  setValue("category", "op");
  setValue("input", valuesOf(node.input()));
  setValue("output", valuesOf(node.output()));
  setValue("opName", node.name());
  setValue("opType", node.op_type());
  setValue("domain", node.domain());
  setValue("attribute", std::move(attributes));
}
OnnxOpDebugInfo::~OnnxOpDebugInfo() = default;

OnnxVariableDebugInfo::OnnxVariableDebugInfo(const DebugContext& dc, const TensorProto& proto)
    : DebugInfo(dc, "onnx") {
  setValue("category", "variable");
  setValue("tensorProto", valueOf(proto));
}

OnnxVariableDebugInfo::OnnxVariableDebugInfo(const DebugContext& dc, const ValueInfoProto& proto)
    : DebugInfo(dc, "onnx") {
  setValue("category", "variable");
  setValue("valueInfoProto", valueOf(proto));
}

OnnxVariableDebugInfo::OnnxVariableDebugInfo(const DebugContext& dc, const ValueInfoProto& proto,
                                             const TensorInfo& info)
    : DebugInfo(dc, "onnx") {
  ProfileValue::Map values;
  values.emplace("name", proto.name());
  values.emplace("shape_from_input", listed(info.shape()));
  setValue("category", "variable");
  setValue("valueInfoProto", std::move(values));
}
OnnxVariableDebugInfo::~OnnxVariableDebugInfo() = default;

}  // namespace popart
