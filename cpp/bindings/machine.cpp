// popir._device.machine: the simulated machine's figures, and Engine.machineReport.
#include <pybind11/stl.h>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>

#include "bindings/engine.hpp"
#include "bindings/module.hpp"
#include "machine/estimators.hpp"
#include "machine/target_spec.hpp"
#include "poplar/engine_impl.hpp"
#include "poplar/machine_reading.hpp"

namespace popir {

namespace py = pybind11;
using namespace py::literals;

namespace {

py::dict asDict(const MachineReport& r) {
  py::list operations, memory;
  for (const auto& o : r.operations)
    operations.append(py::dict("name"_a = o.name, "vertexClass"_a = o.vertexClass,
                               "times"_a = o.times, "cycles"_a = o.cycles(),
                               "computeCycles"_a = o.computeCycles,
                               "exchangeCycles"_a = o.exchangeCycles, "syncCycles"_a = o.syncCycles,
                               "exchangeBytes"_a = o.exchangeBytes, "flops"_a = o.flops));
  for (const auto& m : r.memory)
    memory.append(py::dict("category"_a = m.category, "totalBytes"_a = m.totalBytes,
                           "fullestTileBytes"_a = m.fullestTileBytes));
  return py::dict("target"_a = r.target, "tiles"_a = r.tiles, "clockHz"_a = r.clockHz,
                  "cycles"_a = r.cycles, "computeCycles"_a = r.computeCycles,
                  "exchangeCycles"_a = r.exchangeCycles, "syncCycles"_a = r.syncCycles,
                  "exchangeBytes"_a = r.exchangeBytes, "flops"_a = r.flops,
                  "hostBytesIn"_a = r.hostBytesIn, "hostBytesOut"_a = r.hostBytesOut,
                  "operations"_a = operations, "memory"_a = memory, "totalBytes"_a = r.totalBytes,
                  "maxTileBytes"_a = r.maxTileBytes, "fullestTile"_a = r.fullestTile,
                  "bytesPerTile"_a = r.bytesPerTile, "tilesOutOfMemory"_a = r.tilesOutOfMemory,
                  "counts"_a = r.counts, "summary"_a = r.summary());
}

}  // namespace

py::dict machineReport(const EngineImpl& engine, unsigned program) {
  return asDict(readMachine(engine.graph(), engine.programs(), program));
}

void bindMachine(py::module_& m) {
  m.doc() = "What vertices cost on a simulated machine.";
  m.def("vertexClasses", &vertexClassNames, "Names of the classes that have an estimator.");
  m.def("figures", &TargetSpec::figures, "Names of the figures that make a machine.");
  m.def(
      "figure",
      [](const poplar::Target& target, const std::string& name) { return target.spec().get(name); },
      py::arg("target"), py::arg("name"),
      "A figure of a target. Raises poplar_invalid_option for a name that is none.");
  m.def(
      "programReport",
      [](const poplar::Graph& graph, const poplar::program::Program& program) {
        return asDict(readMachine(*graph.impl(), {program.node()}, 0));
      },
      py::arg("graph"), py::arg("program"),
      "What Engine.machineReport says of a program, without an engine.");
  m.def(
      "estimateCycles",
      [](const poplar::Target& target, const std::string& vertexClass, const poplar::Type& type,
         const std::vector<std::uint64_t>& sizes) {
        return estimateCycles(target.spec(), vertexClass, {type, sizes});
      },
      py::arg("target"), py::arg("vertexClass"), py::arg("type"), py::arg("sizes"),
      "Cycles that one tile of `target` takes for its part of a vertex, of the sizes that "
      "cpp/machine/estimators.hpp lists for the class. Raises poplar_exception for another class.");
}

}  // namespace popir
