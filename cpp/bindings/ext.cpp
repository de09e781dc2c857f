// popir.ext: what PopLibs lacks, from the headers under popir/.
#include <pybind11/stl.h>
#include <popir/Pooling.hpp>

#include "bindings/module.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;
using Context = const poplar::DebugContext&;

void bindPooling(py::module_& m) {
  using popnn::pooling::PoolParams;
  const auto context = py::arg("debugContext") = poplar::DebugContext();
  py::class_<PoolOptions>(m, "PoolOptions", "What ONNX's pooling has beyond popnn.pooling.")
      .def(py::init([](std::vector<unsigned> dilation, bool countIncludePad,
                       std::vector<unsigned> uncountedPaddingUpper) {
             return PoolOptions{std::move(dilation), countIncludePad,
                                std::move(uncountedPaddingUpper)};
           }),
           py::arg("dilation") = std::vector<unsigned>(), py::arg("countIncludePad") = false,
           py::arg("uncountedPaddingUpper") = std::vector<unsigned>(),
           "dilation: empty for 1. uncountedPaddingUpper: the part of the upper padding that "
           "countIncludePad leaves out, because rounding up (ceil_mode) added it.");
  m.def("poolOutputFieldShape", &poolOutputFieldShape, py::arg("params"), py::arg("options"));
  m.def("pool", &pool, py::arg("graph"), py::arg("params"), py::arg("options"), py::arg("in"),
        py::arg("prog"), context);
  m.def("poolInputGradient", &poolInputGradient, py::arg("graph"), py::arg("params"),
        py::arg("options"), py::arg("pooledGradient"), py::arg("prog"), context, "AVG and SUM.");
  m.def("maxPoolInputGradient", &maxPoolInputGradient, py::arg("graph"), py::arg("params"),
        py::arg("options"), py::arg("in"), py::arg("pooledGradient"), py::arg("prog"), context,
        "MAX: to the first maximum of each window, in row-major order.");
}

}  // namespace

void bindExt(py::module_& m) { bindPooling(m); }

}  // namespace popir
