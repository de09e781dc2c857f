// Passes ONNX schemas that libraries register, and their inference functions, to Python's
// onnx.defs.
#include <pybind11/stl.h>

#include <map>
#include <string>
#include <vector>

#include "bindings/onnx_convert.hpp"
#include "bindings/popart_run.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using onnx::AttributeProto;
using onnx::OpSchema;
using onnx::TensorProto;
using onnx::TensorShapeProto;
using onnx::TypeProto;

py::list described(const std::vector<OpSchema::FormalParameter>& parameters) {
  py::list all;
  for (const auto& p : parameters)
    all.append(py::make_tuple(p.name, p.typeStr, p.description, static_cast<int>(p.option),
                              p.isHomogeneous, p.minArity));
  return all;
}

py::object defaultOf(const OpSchema::Attribute& attribute) {
  const AttributeProto& value = attribute.defaultValue;
  switch (value.type()) {
    case AttributeProto::FLOAT: return py::float_(value.f());
    case AttributeProto::INT: return py::int_(value.i());
    case AttributeProto::STRING: return py::str(value.s());
    case AttributeProto::FLOATS: return py::cast(value.floats());
    case AttributeProto::INTS: return py::cast(value.ints());
    case AttributeProto::STRINGS: return py::cast(value.strings());
    default: return py::none();
  }
}

/// The description that popir.onnxio.registered.register takes.
py::dict described(const OpSchema& schema) {
  py::list attributes, constraints;
  for (const auto& a : schema.attributes())
    attributes.append(py::make_tuple(a.second.name, a.second.description,
                                     static_cast<int>(a.second.type), a.second.required,
                                     defaultOf(a.second)));
  for (const auto& c : schema.typeConstraintParams())
    constraints.append(py::make_tuple(c.typeParamStr, c.allowedTypeStrs, c.description));
  py::dict d;
  d["name"] = schema.Name();
  d["domain"] = schema.domain();
  d["since_version"] = schema.SinceVersion();
  d["doc"] = schema.doc();
  d["inputs"] = described(schema.inputs());
  d["outputs"] = described(schema.outputs());
  d["attributes"] = attributes;
  d["type_constraints"] = constraints;
  return d;
}

/// A type from (element type, dimensions or None); null from None. A dimension is a number, a name
/// or None.
std::unique_ptr<TypeProto> typeFrom(py::handle known) {
  if (known.is_none()) return nullptr;
  const auto pair = py::reinterpret_borrow<py::tuple>(known);
  auto type = std::make_unique<TypeProto>();
  type->mutable_tensor_type()->set_elem_type(pair[0].cast<int32_t>());
  if (pair[1].is_none()) return type;
  TensorShapeProto* shape = type->mutable_tensor_type()->mutable_shape();
  for (py::handle d : pair[1]) {
    onnx::Dim* dim = shape->add_dim();
    if (py::isinstance<py::str>(d))
      dim->set_dim_param(d.cast<std::string>());
    else if (!d.is_none())
      dim->set_dim_value(d.cast<int64_t>());
  }
  return type;
}

/// The inverse of typeFrom().
py::object toPython(const TypeProto& type) {
  if (!type.has_tensor_type() || !type.tensor_type().has_elem_type()) return py::none();
  if (!type.tensor_type().has_shape())
    return py::make_tuple(type.tensor_type().elem_type(), py::none());
  py::list dims;
  for (const onnx::Dim& d : type.tensor_type().shape().dim()) {
    if (d.has_dim_value())
      dims.append(d.dim_value());
    else
      dims.append(d.has_dim_param() ? py::object(py::str(d.dim_param())) : py::none());
  }
  return py::make_tuple(type.tensor_type().elem_type(), dims);
}

/// A tensor from a numpy array: floats as DOUBLE, integers and bool as INT64. Arrays of other
/// dtypes give a tensor with a shape only. Null from None.
std::unique_ptr<TensorProto> dataFrom(py::handle array) {
  if (array.is_none()) return nullptr;
  auto tensor = std::make_unique<TensorProto>();
  const std::string kind = array.attr("dtype").attr("kind").cast<std::string>();
  for (py::handle d : array.attr("shape")) tensor->add_dims(d.cast<int64_t>());
  const py::object flat = array.attr("ravel")().attr("tolist")();
  if (kind == "f") {
    tensor->set_data_type(TensorProto::DOUBLE);
    *tensor->mutable_double_data() = flat.cast<std::vector<double>>();
  } else if (kind == "i" || kind == "u" || kind == "b") {
    tensor->set_data_type(TensorProto::INT64);
    *tensor->mutable_int64_data() = flat.cast<std::vector<int64_t>>();
  }
  return tensor;
}

/// The context of an inference function: what Python knows of a node.
class Context : public onnx::InferenceContext {
 public:
  Context(const py::list& inputs, py::object attributes, const py::list& values,
          std::size_t outputs)
      : attributes_(std::move(attributes)), outputs_(outputs) {
    for (py::handle input : inputs) inputs_.push_back(typeFrom(input));
    for (py::handle value : values) values_.push_back(dataFrom(value));
  }

  const AttributeProto* getAttribute(const std::string& name) const override {
    const auto known = read_.find(name);
    if (known != read_.end()) return known->second.get();
    const py::object value = attributes_.attr("get")(name);
    return (read_[name] = value.is_none() ? nullptr : attributeFrom(name, value)).get();
  }
  std::size_t getNumInputs() const override { return inputs_.size(); }
  const TypeProto* getInputType(std::size_t index) const override {
    return inputs_.at(index).get();
  }
  const TensorProto* getInputData(std::size_t index) const override {
    return values_.at(index).get();
  }
  std::size_t getNumOutputs() const override { return outputs_.size(); }
  TypeProto* getOutputType(std::size_t index) override {
    return index < outputs_.size() ? &outputs_[index] : nullptr;
  }

 private:
  std::vector<std::unique_ptr<TypeProto>> inputs_;
  py::object attributes_;
  std::vector<std::unique_ptr<TensorProto>> values_;
  std::vector<TypeProto> outputs_;
  mutable std::map<std::string, std::unique_ptr<AttributeProto>> read_;
};

/// The schema's inference function, for Python; None if it has none.
py::object inference(const SchemaRecord& record) {
  const OpSchema& schema = record.schema;
  if (!schema.has_type_and_shape_inference_function()) return py::none();
  const popart::OperatorIdentifier opid(schema.domain(), schema.Name(),
                                        static_cast<unsigned>(schema.SinceVersion()));
  const std::string where = place(popart::logging::format("{}", opid),
                                  "the schema's inference function", record.origin.path);
  const onnx::InferenceFunction function = schema.GetTypeAndShapeInferenceFunction();
  return py::cpp_function([where, function](const py::list& inputs, const py::object& attributes,
                                            const py::list& values, std::size_t outputs) {
    return run([&] { return where; },
               [&] {
                 Context context(inputs, attributes, values, outputs);
                 function(context);
                 py::list types;
                 for (std::size_t i = 0; i < outputs; ++i)
                   types.append(toPython(*context.getOutputType(i)));
                 return types;
               });
  });
}

/// A SchemaSink: returns a fault, or "".
std::string registerInPython(const SchemaRecord& record) {
  const py::gil_scoped_acquire gil;
  try {
    hooks().registerSchema(described(record.schema), inference(record));
    return "";
  } catch (const py::error_already_set& e) {
    return popart::logging::format("The schema of {}.{}:{}, of the library '{}', is refused: {}",
                                   record.schema.domain(), record.schema.Name(),
                                   record.schema.SinceVersion(), record.origin.path,
                                   py::str(e.value()).cast<std::string>());
  }
}

}  // namespace

void installSchemas() { installSchemaSink(registerInPython); }

}  // namespace popir
