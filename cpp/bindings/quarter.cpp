// popir.poplar: metadata of QUARTER.
#include <poplar/MetadataCreation.hpp>

#include <sstream>

#include "bindings/module.hpp"
#include "bindings/signatures.hpp"
#include "bindings/values.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {

namespace py = pybind11;
using namespace poplar;
using Context = const DebugContext&;

void bindQuarter(py::module_& m) {
  using Format = QuarterMetadata::Format;
  py::class_<QuarterMetadata> metadata(
      m, "QuarterMetadata",
      "What a tensor of QUARTER has beside its numbers: their format, and a scale s; an element\n"
      "is its number times 2^s (Poplar: poplar/Quarter.hpp).");
  py::enum_<Format>(
      metadata, "Format",
      "F143: 4 bits of exponent and 3 of mantissa, up to 240. F152: 5 and 2 bits, up\n"
      "to 57344. One zero, no infinity, one NaN: ONNX's FLOAT8E4M3FNUZ, FLOAT8E5M2FNUZ.")
      .value("F143", Format::F143)
      .value("F152", Format::F152);
  withEquality(metadata)
      .def(py::init<Format, int>(), py::arg("fmt"), py::arg("scale"),
           "Raises poplar_exception for a scale outside of [-32, 31].")
      .def("getFormat", &QuarterMetadata::getFormat, "The format of the numbers.")
      .def("getScale", &QuarterMetadata::getScale, "The logarithm of the factor.")
      .def("getBinary", &QuarterMetadata::getBinary,
           "The byte on the device: the scale in 6 bits, and 0x80 for F143.")
      .def("__repr__",
           [](const QuarterMetadata& value) {
             std::ostringstream os;
             os << "poplar.QuarterMetadata(" << value << ")";
             return os.str();
           })
      .def("__hash__", [](const QuarterMetadata& value) { return int{value.getBinary()}; })
      .def(py::pickle([](const QuarterMetadata& value) { return value.getBinary(); },
                      [](std::uint8_t binary) { return QuarterMetadata(binary); }));
  m.def(
      "createConstantMetadataTensor",
      [](Graph& graph, Format fmt, int scale, Context c) {
        return createConstantMetadataTensor(graph, fmt, scale, c);
      },
      py::arg("graph"), py::arg("fmt"), py::arg("scale"), debugContext(),
      "The metadata of a tensor of QUARTER: a constant, UNSIGNED_CHAR, [].\n"
      "Raises poplar_exception for a scale outside of [-32, 31].");
  m.def(
      "createVariableMetadataTensor",
      [](Graph& graph, Format fmt, int scale, program::Sequence& prog, Context c) {
        return createVariableMetadataTensor(graph, fmt, scale, prog, c);
      },
      py::arg("graph"), py::arg("fmt"), py::arg("scale"), py::arg("prog"), debugContext(),
      "The same as a variable that `prog` sets.");
  m.def(
      "createVariableMetadataTensor",
      [](Graph& graph, Format fmt, const Tensor& scale, program::Sequence& prog, Context c) {
        return createVariableMetadataTensor(graph, fmt, scale, prog, c);
      },
      py::arg("graph"), py::arg("fmt"), py::arg("scale"), py::arg("prog"), debugContext(),
      "The same of a scale that the device knows: one element of an integer type, of which the\n"
      "lowest 6 bits count. Raises poplibs_exception for another number of elements.");
  m.def("withMetadata", &withMetadata, py::arg("tensor"), py::arg("metadata"),
        "The elements of a tensor of QUARTER with metadata of their own, one UNSIGNED_CHAR, and\n"
        "not those of their variables. Nothing is copied.\n"
        "Raises poplar_type_error for other types, and for another number of elements.");
}

}  // namespace popir
