// popir.gcl: collective operations over replicas.
#include <pybind11/stl.h>
#include <gcl/Collectives.hpp>

#include "bindings/module.hpp"
#include "bindings/signatures.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using gcl::CollectiveOperator;
using gcl::CommGroup;
using gcl::CommGroupType;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

}  // namespace

void bindGcl(py::module_& m) {
  m.doc() =
      "Collective operations over replicas (gcl/Collectives.hpp). Reductions are made in the\n"
      "order of the replicas, so that their bits do not depend on threads and processes.";
  py::enum_<CollectiveOperator>(m, "CollectiveOperator",
                                "How replicas' values become one. SQUARE_ADD is the sum of the\n"
                                "squares, LOCAL each replica's own value.")
      .value("ADD", CollectiveOperator::ADD)
      .value("MEAN", CollectiveOperator::MEAN)
      .value("MUL", CollectiveOperator::MUL)
      .value("MIN", CollectiveOperator::MIN)
      .value("MAX", CollectiveOperator::MAX)
      .value("LOGICAL_AND", CollectiveOperator::LOGICAL_AND)
      .value("LOGICAL_OR", CollectiveOperator::LOGICAL_OR)
      .value("SQUARE_ADD", CollectiveOperator::SQUARE_ADD)
      .value("LOCAL", CollectiveOperator::LOCAL);
  py::class_<CommGroup>(m, "CommGroup",
                        "Groups of `size` replicas, each `stride` after the one before.")
      .def(py::init([](unsigned size, unsigned stride) {
             return CommGroup(CommGroupType::CONSECUTIVE, size, stride);
           }),
           py::arg("size"), py::arg("stride") = 1);
  const auto graph = py::arg("graph"), data = py::arg("data"), op = py::arg("op"),
             prog = py::arg("prog"), group = py::arg("group");
  const auto context = debugContext();
  m.def(
      "allReduceCrossReplica",
      [](Graph& g, const Tensor& t, CollectiveOperator o, Sequence& p, const CommGroup& c,
         const DebugContext& d) { return gcl::allReduceCrossReplica(g, t, o, p, c, d); },
      graph, data, op, prog, group, context,
      "The reduction of `data` over the replicas of a group: a new tensor of its shape.\n"
      "Raises poplar_exception for groups that do not divide the replicas of the graph.");
  m.def(
      "reduceScatterCrossReplica",
      [](Graph& g, const Tensor& t, CollectiveOperator o, Sequence& p, const CommGroup& c,
         const DebugContext& d) { return gcl::reduceScatterCrossReplica(g, t, o, p, c, d); },
      graph, data, op, prog, group, context,
      "The replica's part of the reduction of `data` over a group of n replicas: a new tensor of\n"
      "one dimension, of the elements divided by n, rounded up. What is more is zero.\n"
      "Raises poplar_exception for groups that do not divide the replicas of the graph.");
  m.def(
      "allGatherCrossReplica",
      [](Graph& g, const Tensor& t, Sequence& p, const CommGroup& c, const DebugContext& d) {
        return gcl::allGatherCrossReplica(g, t, p, c, d);
      },
      graph, data, prog, group, context,
      "The `data` of the n replicas of a group: a new tensor [n, shape of `data`].\n"
      "Raises poplar_exception for groups that do not divide the replicas of the graph.");
}

}  // namespace popir
