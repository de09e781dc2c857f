// popir.popnn: pooling, non-linear functions, losses.
#include <pybind11/operators.h>
#include <pybind11/stl.h>
#include <popnn/Pooling.hpp>

#include <sstream>

#include "bindings/module.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using Context = const poplar::DebugContext&;

void bindPooling(py::module_& m) {
  using namespace popnn::pooling;
  using popnn::PoolingType;
  using Sizes = std::vector<std::size_t>;
  py::enum_<PoolingType>(m, "PoolingType")
      .value("MAX", PoolingType::MAX)
      .value("AVG", PoolingType::AVG)
      .value("SUM", PoolingType::SUM);
  auto pooling = m.def_submodule("pooling");
  py::class_<PoolParams>(pooling, "PoolParams",
                         "Sizes of a pooling; lists have one entry for each spatial dimension.")
      .def(py::init<PoolingType, Sizes, Sizes, std::vector<unsigned>, std::vector<int>,
                    std::vector<int>, std::size_t, std::size_t, poplar::Type>(),
           py::arg("poolingType"), py::arg("inputFieldShape"), py::arg("kernelShape"),
           py::arg("stride"), py::arg("inputTruncationOrPaddingLower"),
           py::arg("inputTruncationOrPaddingUpper"), py::arg("numChannels"), py::arg("batchSize"),
           py::arg("dType"))
      .def("getOutputFieldShape", &PoolParams::getOutputFieldShape)
      .def("__repr__", [](const PoolParams& p) {
        std::ostringstream os;
        os << p;
        return os.str();
      });
  const auto context = py::arg("debugContext") = poplar::DebugContext();
  const auto options = py::arg("options") = OptionFlags();
  pooling.def("getOutputFieldShape", &getOutputFieldShape, py::arg("params"));
  pooling.def("getFwdFlops", &getFwdFlops, py::arg("params"));
  pooling.def("getBwdFlops", &getBwdFlops, py::arg("params"));
  pooling.def("pool", &pool, py::arg("graph"), py::arg("params"), py::arg("in"), py::arg("prog"),
              context, options,
              "Pools [batch, channels, spatial...]. Padding is not counted and never a maximum.");
  pooling.def(
      "poolInputGradient",
      [](Graph& graph, const PoolParams& params, const Tensor& in, const Tensor& pooled,
         const Tensor& pooledGradient, bool useScaledGradient, Sequence& prog, Context c,
         const OptionFlags& o) {
        return poolInputGradient(graph, params, in, pooled, pooledGradient, useScaledGradient, prog,
                                 c, o);
      },
      py::arg("graph"), py::arg("params"), py::arg("in"), py::arg("pooled"),
      py::arg("pooledGradient"), py::arg("useScaledGradient"), py::arg("prog"), context, options,
      "MAX: to every maximum of a window, in equal parts if useScaledGradient. "
      "ext.maxPoolInputGradient gives it to the first.");
  pooling.def(
      "poolInputGradient",
      [](Graph& graph, const PoolParams& params, unsigned fwdChansPerGroup,
         const Tensor& pooledGradient, Sequence& prog, Context c, const OptionFlags& o) {
        return poolInputGradient(graph, params, fwdChansPerGroup, pooledGradient, prog, c, o);
      },
      py::arg("graph"), py::arg("params"), py::arg("fwdChansPerGroup"), py::arg("pooledGradient"),
      py::arg("prog"), context, options, "AVG and SUM.");
}

}  // namespace

void bindPopnn(py::module_& m) { bindPooling(m); }

}  // namespace popir
