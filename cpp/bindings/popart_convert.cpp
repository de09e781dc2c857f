#include "bindings/popart_convert.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "bindings/onnx_convert.hpp"
#include "popart/attribute_error.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using popart::Attributes;
using popart::DataType;
using popart::TensorInfo;

constexpr std::size_t dataTypes = static_cast<std::size_t>(DataType::UNDEFINED) + 1;

/// Objects of popir.types. They are never released: when static variables are destroyed, the
/// interpreter may no longer exist.
struct Types {
  py::object info;
  std::array<py::object, dataTypes> members;
  std::unordered_map<PyObject*, DataType> codes;
  /// The info of each type and shape. Infos are immutable, so one object is enough.
  std::unordered_map<std::string, py::object> made;

  Types() {
    const py::module_ types = py::module_::import("popir.types");
    info = types.attr("TensorInfo");
    for (std::size_t i = 0; i < dataTypes; ++i) {
      const DataType code = static_cast<DataType>(i);
      members[i] = types.attr("DataType").attr(popart::logging::internal::text(code).c_str());
      codes[members[i].ptr()] = code;
    }
  }
};

Types& types() {
  static Types* const types = new Types();
  return *types;
}

}  // namespace

py::object toPython(const TensorInfo& info) {
  if (!info.isSet()) return py::none();
  Types& t = types();
  if (info.dataType() < popart::DataType::UINT8 || info.dataType() > popart::DataType::UNDEFINED)
    throw popart::error("The number {} is no element type", static_cast<int>(info.dataType()));
  const popart::Shape& shape = info.shape();
  std::string key(1, static_cast<char>(info.dataType()));
  key.append(reinterpret_cast<const char*>(shape.data()), shape.size() * sizeof shape[0]);
  const auto found = t.made.find(key);
  if (found != t.made.end()) return found->second;
  py::tuple dims(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) dims[d] = shape[d];
  if (t.made.size() >= 10000) t.made.clear();
  return t.made[key] = t.info(t.members[static_cast<std::size_t>(info.dataType())], dims);
}

TensorInfo infoFrom(py::handle info) {
  if (info.is_none()) return TensorInfo();
  const auto code = types().codes.find(info.attr("dataType")().ptr());
  if (code == types().codes.end())
    throw popart::internal_error("{} is no popir.types.TensorInfo",
                                 py::repr(info).cast<std::string>());
  popart::Shape shape;
  for (py::handle d : info.attr("shape")()) shape.push_back(d.cast<int64_t>());
  return TensorInfo(code->second, shape);
}

py::tuple toPython(const popart::OperatorIdentifier& opid) {
  return py::make_tuple(opid.domain, opid.type, opid.version);
}

popart::OperatorIdentifier opidFrom(const py::tuple& opid) {
  return {opid[0].cast<std::string>(), opid[1].cast<std::string>(), opid[2].cast<unsigned>()};
}

namespace {

bool isText(py::handle value) {
  return py::isinstance<py::str>(value) || py::isinstance<py::bytes>(value);
}
bool isInt(py::handle value) { return PyIndex_Check(value.ptr()) != 0; }
bool isFloat(py::handle value) {
  return PyFloat_Check(value.ptr()) ||
         (!PySequence_Check(value.ptr()) && py::hasattr(value, "__float__"));
}

int64_t toInt(py::handle value) {
  const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!index) throw py::error_already_set();
  return index.cast<int64_t>();
}

float toFloat(py::handle value) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
  return static_cast<float>(number);
}

/// Sets a list attribute, of the first kind that takes all elements. False if there is none.
bool setList(Attributes& attributes, const std::string& key, py::handle value) {
  const py::list list(py::reinterpret_borrow<py::object>(value));
  const auto all = [&](bool (*is)(py::handle)) {
    for (py::handle v : list)
      if (!is(v)) return false;
    return true;
  };
  if (all(isInt)) {
    Attributes::Ints ints;
    for (py::handle v : list) ints.push_back(toInt(v));
    attributes.setAttribute(key, ints);
  } else if (all([](py::handle v) { return isInt(v) || isFloat(v); })) {
    Attributes::Floats floats;
    for (py::handle v : list) floats.push_back(toFloat(v));
    attributes.setAttribute(key, floats);
  } else if (all(isText)) {
    attributes.setAttribute(key, list.cast<Attributes::Strings>());
  } else if (all(isGraph)) {
    Attributes::Graphs graphs;
    for (py::handle v : list) graphs.push_back(graphFrom(v));
    attributes.setAttribute(key, graphs);
  } else {
    return false;
  }
  return true;
}

/// Sets an attribute. False for a value of a type that no attribute has.
bool set(Attributes& attributes, const std::string& key, py::handle value) {
  if (py::isinstance<py::array>(value)) {  // treated as a number, or as a list of numbers
    if (value.attr("ndim").cast<int>() > 1) return false;
    return set(attributes, key, value.attr("tolist")());
  }
  if (isText(value))
    attributes.setAttribute(key, value.cast<std::string>());
  else if (isInt(value))
    attributes.setAttribute(key, toInt(value));
  else if (isFloat(value))
    attributes.setAttribute(key, toFloat(value));
  else if (isGraph(value))
    attributes.setAttribute(key, graphFrom(value));
  else if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value))
    return setList(attributes, key, value);
  else
    return false;
  return true;
}

}  // namespace

Attributes attributesFrom(const py::dict& values, const std::string& owner) {
  Attributes attributes;
  attributes.setOwner(owner);
  for (const auto& item : values) {
    const std::string key = item.first.cast<std::string>();
    if (!set(attributes, key, item.second))
      throw AttributeError(
          "{}: the attribute '{}' is {}, which an operator written in C++ cannot take; it takes "
          "integers, floats, strings, graphs, and lists of one of these",
          owner, key, py::repr(item.second).cast<std::string>());
  }
  return attributes;
}

namespace {

template <class T>
py::object cast(const Attributes& attributes, const std::string& key) {
  return py::cast(attributes.getAttribute<T>(key));
}

py::object refuse(const Attributes&, const std::string& key) {
  throw AttributeError("The attribute '{}' is a graph, which C++ code cannot give to the compiler",
                       key);
}

}  // namespace

py::dict toPython(const Attributes& attributes) {
  // In the order of Attributes::Type.
  static constexpr py::object (*casts[])(const Attributes&, const std::string&) = {
      cast<Attributes::Int>,
      cast<Attributes::Ints>,
      cast<Attributes::Float>,
      cast<Attributes::Floats>,
      cast<Attributes::String>,
      cast<Attributes::Strings>,
      refuse,
      refuse};
  py::dict values;
  for (const std::string& key : attributes.getNames())
    values[py::str(key)] = casts[static_cast<int>(attributes.getType(key))](attributes, key);
  return values;
}

}  // namespace popir
