#include "bindings/onnx_convert.hpp"

#include <pybind11/stl.h>

#include <vector>

namespace popir {
namespace {

namespace py = pybind11;
using onnx::AttributeProto;
using onnx::GraphProto;
using onnx::NodeProto;
using onnx::TensorProto;
using onnx::ValueInfoProto;

std::string text(py::handle message, const char* field) {
  return message.attr(field).cast<std::string>();
}

bool has(py::handle message, const char* field) {
  return message.attr("HasField")(field).cast<bool>();
}

template <class T>
void fill(std::vector<T>* values, py::handle items) {
  for (py::handle item : items) values->push_back(item.cast<T>());
}

TensorProto tensorFrom(py::handle tensor) {
  TensorProto t;
  t.set_name(text(tensor, "name"));
  t.set_data_type(tensor.attr("data_type").cast<int32_t>());
  fill(t.mutable_dims(), tensor.attr("dims"));
  if (has(tensor, "raw_data")) t.set_raw_data(text(tensor, "raw_data"));
  fill(t.mutable_float_data(), tensor.attr("float_data"));
  fill(t.mutable_int32_data(), tensor.attr("int32_data"));
  fill(t.mutable_int64_data(), tensor.attr("int64_data"));
  fill(t.mutable_double_data(), tensor.attr("double_data"));
  return t;
}

ValueInfoProto valueFrom(py::handle value) {
  ValueInfoProto v;
  v.set_name(text(value, "name"));
  const py::object type = value.attr("type");
  if (!has(type, "tensor_type")) return v;
  const py::object tensor = type.attr("tensor_type");
  onnx::TypeProto_Tensor* known = v.mutable_type()->mutable_tensor_type();
  known->set_elem_type(tensor.attr("elem_type").cast<int32_t>());
  if (!has(tensor, "shape")) return v;
  known->mutable_shape();
  for (py::handle dim : tensor.attr("shape").attr("dim")) {
    onnx::TensorShapeProto_Dimension* d = known->mutable_shape()->add_dim();
    if (has(dim, "dim_value"))
      d->set_dim_value(dim.attr("dim_value").cast<int64_t>());
    else if (has(dim, "dim_param"))
      d->set_dim_param(text(dim, "dim_param"));
  }
  return v;
}

AttributeProto protoOf(py::handle attribute) {
  AttributeProto a;
  a.set_name(text(attribute, "name"));
  a.set_type(static_cast<AttributeProto::AttributeType>(attribute.attr("type").cast<int>()));
  a.set_f(attribute.attr("f").cast<float>());
  a.set_i(attribute.attr("i").cast<int64_t>());
  a.set_s(text(attribute, "s"));
  if (has(attribute, "t")) a.set_t(tensorFrom(attribute.attr("t")));
  if (has(attribute, "g")) *a.mutable_g() = graphFrom(attribute.attr("g"));
  fill(a.mutable_floats(), attribute.attr("floats"));
  fill(a.mutable_ints(), attribute.attr("ints"));
  fill(a.mutable_strings(), attribute.attr("strings"));
  for (py::handle t : attribute.attr("tensors")) a.add_tensors(tensorFrom(t));
  for (py::handle g : attribute.attr("graphs")) *a.add_graphs() = graphFrom(g);
  return a;
}

NodeProto nodeFrom(py::handle node) {
  NodeProto n;
  n.set_name(text(node, "name"));
  n.set_op_type(text(node, "op_type"));
  n.set_domain(text(node, "domain"));
  fill(n.mutable_input(), node.attr("input"));
  fill(n.mutable_output(), node.attr("output"));
  for (py::handle a : node.attr("attribute")) n.add_attribute(protoOf(a));
  return n;
}

/// Sets a list attribute, of the first type that takes all elements. Does nothing if there is none.
void setList(AttributeProto& a, const py::list& list) {
  const auto all = [&](auto is) {
    for (py::handle v : list)
      if (!is(v)) return false;
    return true;
  };
  if (all([](py::handle v) { return py::isinstance<py::int_>(v); })) {
    a.set_type(AttributeProto::INTS);
    fill(a.mutable_ints(), list);
  } else if (all([](py::handle v) {
               return py::isinstance<py::int_>(v) || py::isinstance<py::float_>(v);
             })) {
    a.set_type(AttributeProto::FLOATS);
    fill(a.mutable_floats(), list);
  } else if (all([](py::handle v) { return py::isinstance<py::str>(v); })) {
    a.set_type(AttributeProto::STRINGS);
    fill(a.mutable_strings(), list);
  } else if (all(isGraph)) {
    a.set_type(AttributeProto::GRAPHS);
    for (py::handle g : list) *a.add_graphs() = graphFrom(g);
  }
}

}  // namespace

bool isGraph(py::handle value) {
  return py::hasattr(value, "SerializeToString") && py::hasattr(value, "node");
}

GraphProto graphFrom(py::handle graph) {
  GraphProto g;
  g.set_name(text(graph, "name"));
  for (py::handle n : graph.attr("node")) g.add_node(nodeFrom(n));
  for (py::handle t : graph.attr("initializer")) g.add_initializer(tensorFrom(t));
  for (py::handle v : graph.attr("input")) g.add_input(valueFrom(v));
  for (py::handle v : graph.attr("output")) g.add_output(valueFrom(v));
  for (py::handle v : graph.attr("value_info")) g.add_value_info(valueFrom(v));
  return g;
}

std::unique_ptr<AttributeProto> attributeFrom(const std::string& name, py::handle value) {
  auto a = std::make_unique<AttributeProto>();
  a->set_name(name);
  if (py::isinstance<py::str>(value)) {
    a->set_type(AttributeProto::STRING);
    a->set_s(value.cast<std::string>());
  } else if (py::isinstance<py::int_>(value)) {
    a->set_type(AttributeProto::INT);
    a->set_i(value.cast<int64_t>());
  } else if (py::isinstance<py::float_>(value)) {
    a->set_type(AttributeProto::FLOAT);
    a->set_f(value.cast<float>());
  } else if (py::isinstance<py::list>(value)) {
    setList(*a, py::reinterpret_borrow<py::list>(value));
  } else if (isGraph(value)) {
    a->set_type(AttributeProto::GRAPH);
    *a->mutable_g() = graphFrom(value);
  }
  return a;
}

}  // namespace popir
