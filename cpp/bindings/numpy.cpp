#include "bindings/numpy.hpp"

#include <map>

#include "poplar/graph_impl.hpp"

namespace popir {

namespace py = pybind11;

poplar::Type typeOf(const py::dtype& dtype) {
  const auto name = py::cast<std::string>(dtype.attr("name"));
  static const std::map<std::string, poplar::Type> types = {{"bool", poplar::BOOL},
                                                            {"int8", poplar::SIGNED_CHAR},
                                                            {"uint8", poplar::UNSIGNED_CHAR},
                                                            {"int16", poplar::SHORT},
                                                            {"uint16", poplar::UNSIGNED_SHORT},
                                                            {"int32", poplar::INT},
                                                            {"uint32", poplar::UNSIGNED_INT},
                                                            {"int64", poplar::LONGLONG},
                                                            {"uint64", poplar::UNSIGNED_LONGLONG},
                                                            {"float16", poplar::HALF},
                                                            {"bfloat16", poplar::BFLOAT16},
                                                            {"float32", poplar::FLOAT},
                                                            {"float64", poplar::DOUBLE}};
  const auto found = types.find(name);
  if (found == types.end()) throw poplar::type_error("numpy dtype " + name + " has no device type");
  return found->second;
}

py::dtype dtypeOf(const poplar::Type& type) {
  using Kind = poplar::Type::Kind;
  switch (type.kind()) {
    case Kind::Bool: return py::dtype("bool");
    case Kind::Char:
    case Kind::SignedChar: return py::dtype("int8");
    case Kind::UnsignedChar: return py::dtype("uint8");
    case Kind::UnsignedShort: return py::dtype("uint16");
    case Kind::Short: return py::dtype("int16");
    case Kind::UnsignedInt: return py::dtype("uint32");
    case Kind::Int: return py::dtype("int32");
    case Kind::UnsignedLonglong: return py::dtype("uint64");
    case Kind::Longlong: return py::dtype("int64");
    case Kind::Half: return py::dtype("float16");
    case Kind::Float: return py::dtype("float32");
    case Kind::Double: return py::dtype("float64");
    case Kind::Bfloat16:
      return py::dtype::from_args(py::module_::import("ml_dtypes").attr("bfloat16"));
    case Kind::Quarter:
    case Kind::Invalid: break;
  }
  throw poplar::type_error("device type " + type.toString() + " has no numpy dtype");
}

py::array contiguous(const py::object& values) {
  auto array = py::array::ensure(values, py::array::c_style);
  if (!array) {
    PyErr_Clear();
    throw poplar::type_error("values that numpy can make an array of expected, given " +
                             py::cast<std::string>(py::repr(values)));
  }
  typeOf(array.dtype());
  return array;
}

void setInitialValue(poplar::Graph& graph, const poplar::Tensor& t, const py::array& values) {
  const auto n = static_cast<std::size_t>(values.size());
  const auto type = typeOf(values.dtype());
  // Convert to the tensor's type here, because the graph takes the bytes as they are.
  const auto size = t.elementType().sizeInBytes();
  std::vector<unsigned char> bytes(n * size);
  convertValues(type, values.data(), t.elementType(), bytes.data(), n);
  graph.setInitialBytes(t, bytes.data(), n);
}

}  // namespace popir
