// popir._device.machine: the cost model of simulated machines. And Engine.machineReport, as a dict.
#include <pybind11/stl.h>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Target.hpp>
#include <poplar/exceptions.hpp>

#include "bindings/engine.hpp"
#include "bindings/errors.hpp"
#include "bindings/module.hpp"
#include "bindings/signatures.hpp"
#include "bindings/work_sizes.hpp"
#include "codelets/counting.hpp"
#include "costing/reading.hpp"
#include "engine/engine.hpp"
#include "machine/collectives.hpp"
#include "machine/contraction/planner.hpp"
#include "machine/estimators/estimators.hpp"
#include "machine/slices/planner.hpp"
#include "machine/target_spec.hpp"
#include "machine/transfer.hpp"
#include "poplar/targets.hpp"
#include "popops/slice_plan.hpp"
#include "program/flat_program.hpp"
#include "pva/profile_data.hpp"

namespace popir {

namespace py = pybind11;
using namespace py::literals;

namespace {

py::dict asDict(const OperationCost& o) {
  return py::dict("name"_a = o.name, "vertexClass"_a = o.vertexClass, "source"_a = o.source,
                  "times"_a = o.times, "cycles"_a = o.cycles(), "computeCycles"_a = o.computeCycles,
                  "exchangeCycles"_a = o.exchangeCycles, "syncCycles"_a = o.syncCycles,
                  "exchangeBytes"_a = o.exchangeBytes, "flops"_a = o.flops);
}

py::dict asDict(const StepCost& s) {
  return py::dict("name"_a = s.name, "kind"_a = s.kind, "blocks"_a = s.blocks, "times"_a = s.times,
                  "cycles"_a = s.cycles(), "computeCycles"_a = s.computeCycles,
                  "exchangeCycles"_a = s.exchangeCycles, "syncCycles"_a = s.syncCycles,
                  "interIPUCycles"_a = s.interIPUCycles,
                  "meanComputeCycles"_a = s.meanComputeCycles, "exchangeBytes"_a = s.exchangeBytes,
                  "interIPUBytes"_a = s.interIPUBytes, "hostBytesIn"_a = s.hostBytesIn,
                  "hostBytesOut"_a = s.hostBytesOut, "streamingBytesIn"_a = s.streamingBytesIn,
                  "transferSeconds"_a = s.transferSeconds, "waitSeconds"_a = s.waitSeconds,
                  "transferBegin"_a = s.transferBegin, "streamingBytesOut"_a = s.streamingBytesOut,
                  "liveBytes"_a = s.liveBytes, "fullestTileLiveBytes"_a = s.fullestTileLiveBytes,
                  "gatheredBytes"_a = s.gatheredBytes, "vertexStateBytes"_a = s.vertexStateBytes,
                  "exchangeCodeBytes"_a = s.exchangeCodeBytes, "operations"_a = s.operations,
                  "ipus"_a = s.ipus, "ipuComputeCycles"_a = s.ipuComputeCycles);
}

py::dict asDict(const MemoryCost& m) {
  return py::dict("category"_a = m.category, "alwaysLive"_a = m.alwaysLive,
                  "totalBytes"_a = m.totalBytes, "fullestTileBytes"_a = m.fullestTileBytes,
                  "tileBytes"_a = m.tileBytes);
}

py::dict asDict(const MemoryOwner& o) {
  return py::dict("name"_a = o.name, "category"_a = o.category, "bytes"_a = o.bytes);
}

// Stretches of tiles, [begin, end), with the number that each tile has.
py::list asTuples(const TileBytes& bytes) {
  py::list list;
  for (const auto& s : bytes.stretches()) list.append(py::make_tuple(s.begin, s.end, s.bytes));
  return list;
}

py::dict asDict(const VariableCost& v) {
  return py::dict("name"_a = v.name, "category"_a = v.category, "bytes"_a = v.bytes,
                  "tiles"_a = asTuples(v.tiles), "live"_a = v.live);
}

py::dict asDict(const VertexClassCost& v) {
  return py::dict("vertexClass"_a = v.vertexClass, "codeBytes"_a = v.codeBytes,
                  "tiles"_a = asTuples(v.tiles));
}

py::dict asDict(const ProgramPart& p) {
  return py::dict("kind"_a = p.kind, "name"_a = p.name, "depth"_a = p.depth,
                  "firstStep"_a = p.firstStep, "steps"_a = p.steps, "times"_a = p.times);
}

py::dict asDict(const RemoteBufferCost& b) {
  return py::dict("name"_a = b.name, "bytes"_a = b.bytes, "bytesIn"_a = b.bytesIn,
                  "bytesOut"_a = b.bytesOut);
}

py::dict asDict(const TransferCost& t) {
  return py::dict("withHost"_a = t.withHost, "times"_a = t.times, "bytes"_a = t.bytes,
                  "gatewayBytes"_a = t.gatewayBytes);
}

template <class Row>
py::list asList(const std::vector<Row>& rows) {
  py::list list;
  for (const auto& row : rows) list.append(asDict(row));
  return list;
}

py::dict asDict(const MachineReport& r) {
  return py::dict(
      "target"_a = r.target, "tiles"_a = r.tiles, "numIPUs"_a = r.numIPUs,
      "tilesPerIPU"_a = r.tilesPerIPU, "clockHz"_a = r.clockHz, "cycles"_a = r.cycles,
      "computeCycles"_a = r.computeCycles, "exchangeCycles"_a = r.exchangeCycles,
      "syncCycles"_a = r.syncCycles, "exchangeBytes"_a = r.exchangeBytes,
      "interIPUBytes"_a = r.interIPUBytes, "interIPUCycles"_a = r.interIPUCycles,
      "rearrangementBytes"_a = r.rearrangementBytes,
      "rearrangementCycles"_a = r.rearrangementCycles, "flops"_a = r.flops,
      "hostBytesIn"_a = r.hostBytesIn, "hostBytesOut"_a = r.hostBytesOut,
      "hostTransfers"_a = r.hostTransfers, "hostSeconds"_a = r.hostSeconds,
      "overlapSeconds"_a = r.overlapSeconds, "runSeconds"_a = r.runSeconds(),
      "streamingBytesIn"_a = r.streamingBytesIn, "streamingBytesOut"_a = r.streamingBytesOut,
      "streamingMemoryBytes"_a = r.streamingMemoryBytes, "streamingSeconds"_a = r.streamingSeconds,
      "remoteBuffers"_a = asList(r.remoteBuffers), "transfers"_a = asList(r.transfers),
      "operations"_a = asList(r.operations), "steps"_a = asList(r.steps), "unknown"_a = r.unknown,
      "parts"_a = asList(r.parts), "tileComputeCycles"_a = r.tileComputeCycles,
      "tileReceivedBytes"_a = r.tileReceivedBytes, "distinctSteps"_a = r.distinctSteps,
      "memory"_a = asList(r.memory), "variables"_a = asList(r.variables),
      "vertices"_a = asList(r.vertices), "owners"_a = asList(r.owners),
      "totalBytes"_a = r.totalBytes, "maxTileBytes"_a = r.maxTileBytes,
      "fullestTile"_a = r.fullestTile, "bytesPerTile"_a = r.bytesPerTile,
      "tilesOutOfMemory"_a = r.tilesOutOfMemory, "interleavedBytes"_a = r.interleavedBytes,
      "nonInterleavedBytes"_a = r.nonInterleavedBytes,
      "interleavedBytesPerTile"_a = r.interleavedBytesPerTile, "counts"_a = r.counts,
      "summary"_a = r.summary());
}

py::dict planAsDict(const ContractionPlan& p) {
  return py::dict(
      "groupSplit"_a = p.groupSplit, "rowSplit"_a = p.rowSplit, "columnSplit"_a = p.columnSplit,
      "innerSplit"_a = p.innerSplit, "tapSplit"_a = p.tapSplit,
      "grains"_a = py::make_tuple(p.grains.groups, p.grains.inner, p.grains.columns),
      "serialColumns"_a = p.serialColumns, "serialInner"_a = p.serialInner,
      "rowsOnce"_a = p.rowsOnce, "joint"_a = p.joint, "vertexClass"_a = p.kind->name,
      "part"_a = sizesOf(p.part), "swapped"_a = p.swapped, "expanded"_a = p.expanded,
      "tiles"_a = p.tiles(), "temporaryBytes"_a = p.temporaryBytes,
      "interleavedBytes"_a = std::max(p.interleavedBytes, p.interleavedSums),
      "computeCycles"_a = p.computeCycles, "exchangeCycles"_a = p.exchangeCycles,
      "onceExchangeCycles"_a = p.onceExchangeCycles, "onceComputeCycles"_a = p.onceComputeCycles,
      "syncs"_a = p.syncs, "calls"_a = p.calls, "cycles"_a = p.cycles,
      "comparedCycles"_a = p.comparedCycles);
}

/// \throws poplar_error for a convolution with a size, stride or dilation below 1, by which the
/// planner would divide
void requireGeometry(const ContractionWork& work) {
  if (work.pass == ContractionWork::Pass::Product) return;
  const auto require = [](std::int64_t size, const std::string& what) {
    if (size < 1)
      throw poplar::poplar_error("planContraction: " + what + " is " + std::to_string(size) +
                                 ", expected 1 or more");
  };
  require(static_cast<std::int64_t>(work.batch), "the batch");
  for (std::size_t d = 0; d < work.field.size(); ++d) {
    const auto& dim = work.field[d];
    const auto of = " of field dimension " + std::to_string(d);
    require(dim.input, "the input" + of);
    require(dim.output, "the output" + of);
    require(dim.kernel, "the kernel" + of);
    require(dim.stride, "the stride" + of);
    require(dim.dilation, "the dilation" + of);
    require(dim.inDilation, "the dilation of the input" + of);
  }
}

}  // namespace

py::dict machineReport(const EngineImpl& engine, unsigned program,
                       const poplar::ProgressFunc& progress) {
  return asDict(readMachine(engine.graph(), engine.programs(), program, progress, engine.counts()));
}

void bindMachine(py::module_& m) {
  m.doc() = "The cost model: figures of simulated machines, and what vertices and programs cost.";
  m.def("vertexClasses", &vertexClassNames,
        "The names of the vertex classes that have an estimator, in alphabetical order.");
  m.def("figures", &TargetSpec::figures,
        "The names of the figures that describe a machine, such as tilesPerIPU.");
  m.def(
      "figure",
      [](const poplar::Target& target, const std::string& name) { return target.spec().get(name); },
      py::arg("target"), py::arg("name"),
      "The value of a figure of a target.\n"
      "Raises poplar_invalid_option for an unknown figure.");
  m.def(
      "costOfAllReduce",
      [](const poplar::Target& target, unsigned replicas,
         const std::vector<std::uint64_t>& bytes) -> Values {
        const auto cost = costOfAllReduce(target.spec(), replicas, bytes);
        return py::dict("algorithm"_a = cost.algorithm, "linkBytes"_a = cost.linkBytes,
                        "gatewayBytes"_a = cost.gatewayBytes, "steps"_a = cost.steps,
                        "linkSeconds"_a = cost.linkSeconds,
                        "gatewaySeconds"_a = cost.gatewaySeconds,
                        "syncSeconds"_a = cost.syncSeconds, "seconds"_a = cost.seconds());
      },
      py::arg("target"), py::arg("replicas"), py::arg("bytes"),
      "The cost of an all-reduce between replicas, as a dict with the fields of\n"
      "CollectiveCost (cpp/machine/collectives.hpp).\n"
      "`target`: the machine, for its figures alone.\n"
      "`bytes`: by IPU of a replica, the bytes that it holds.\n"
      "Raises poplar_invalid_option for a replica that is larger than a pod, and for more\n"
      "than 4096 IPUs together.");
  m.def(
      "withIPUs",
      [](const poplar::Target& target, unsigned ipus) { return withIPUs(target.spec(), ipus); },
      py::arg("target"), py::arg("ipus"), "A target with the same figures and so many IPUs.");
  m.def(
      "secondsOfTransfer",
      [](const poplar::Target& target, bool withHost, std::uint64_t bytes,
         std::uint64_t gatewayBytes, unsigned replicas, unsigned ipusPerReplica) {
        return secondsOfTransfer(target.spec(), {withHost, 1, bytes, gatewayBytes},
                                 {replicas, ipusPerReplica});
      },
      py::arg("target"), py::arg("withHost"), py::arg("bytes"), py::arg("gatewayBytes"),
      py::arg("replicas"), py::arg("ipusPerReplica"),
      "Seconds of one execution of a transfer on each of the replicas at the same time\n"
      "(cpp/machine/transfer.hpp).");
  m.def(
      "contracts", [](const poplar::Graph& graph) { return contracts(*graph.impl()); },
      py::arg("graph"), "Whether the graph has a product of matrices or a convolution.");
  m.def(
      "outOfMemory",
      [](const poplar::Graph& graph, const poplar::program::Program& program) {
        EngineParts parts;
        checkedPrograms(*graph.impl(), {program.node()}, {{"debug.allowOutOfMemory", "true"}},
                        parts);
        return outOfMemory(*graph.impl(), {program.node()});
      },
      py::arg("graph"), py::arg("program"),
      "What a program lacks of the memory of some tile, in the words of the error that an Engine\n"
      "raises; empty if it fits.\n"
      "Raises the errors of Engine() for an invalid program.");
  m.def(
      "programReport",
      [](const poplar::Graph& graph, const poplar::program::Program& program) -> Values {
        EngineParts parts;
        checkedPrograms(*graph.impl(), {program.node()}, {{"debug.allowOutOfMemory", "true"}},
                        parts);
        return asDict(readMachine(*graph.impl(), {program.node()}, 0, {}));
      },
      py::arg("graph"), py::arg("program"),
      "What Engine.machineReport returns for a program, without an engine. The program need\n"
      "not fit the memory of the target.\n"
      "Raises the errors of Engine() for an invalid program.");
  m.def(
      "readProfile",
      [](const std::string& path) -> Values {
        const auto data = [&] {
          try {
            return readProfile(path);
          } catch (const std::runtime_error& error) {
            const std::string who = "pva::openReport: ", what = error.what();
            raise("ModelError", what.rfind(who, 0) == 0 ? what.substr(who.size()) : what);
          }
        }();
        py::list reports;
        for (const auto& report : data->reports) reports.append(asDict(report));
        std::vector<unsigned> runs;
        for (const auto& run : data->runs) runs.push_back(run.program);
        return py::dict("reports"_a = reports, "runs"_a = runs);
      },
      py::arg("path"),
      "What a profile.pop, which an Engine wrote, says of its programs, as a dict: \"reports\",\n"
      "for each program what Engine.machineReport returns, and \"runs\", the numbers of the\n"
      "programs that have run, in order.\n"
      "Raises ModelError for a file that is none, is damaged, or is of another version.");
  m.def(
      "tileRuns",
      [](const poplar::Graph& graph, const poplar::Tensor& t) {
        std::vector<std::tuple<std::int64_t, std::int64_t, unsigned>> runs;
        for (const auto& run : tileRuns(*graph.impl(), t).runs)
          runs.emplace_back(run.begin, run.end, run.tile);
        return runs;
      },
      py::arg("graph"), py::arg("t"),
      "Intervals (begin, end, tile) of the flattened tensor, in ascending order. The tiles\n"
      "share in this way a vertex that writes the tensor.");
  m.def(
      "planContraction",
      [](const poplar::Target& target, const std::string& vertexClass, const poplar::Type& type,
         const std::vector<std::uint64_t>& sizes) -> Values {
        const auto* kind = findVertexClass(vertexClass);
        if (!kind || !kind->isDescribedBy<ContractionWork>() || sizes.size() < 5)
          throw poplar::poplar_error("planContraction: '" + vertexClass + "' with " +
                                     std::to_string(sizes.size()) +
                                     " sizes given, expected a contraction and 5 sizes or more");
        const auto whole = std::get<ContractionWork>(withSizes(kind->blank, type, sizes));
        requireGeometry(whole);
        return planAsDict(planContraction(target.spec(), {kind, whole, target.getNumTiles()}));
      },
      py::arg("target"), py::arg("vertexClass"), py::arg("type"), py::arg("sizes"),
      "How the planner splits a contraction over the tiles of `target`, as a dict\n"
      "with fields of ContractionPlan (cpp/machine/contraction/planner.hpp).\n"
      "computeCycles, exchangeCycles and phases are those of one serial\n"
      "step, cycles those of all.\n"
      "`type`: the element type of the operands.\n"
      "`sizes`: the fields of ContractionWork (cpp/workload/work.hpp) in their order, at\n"
      "least groups, rows, inner, columns and kernelElements.\n"
      "Raises poplar_exception for a class that is no contraction, for fewer sizes, and for\n"
      "a convolution with a size, stride or dilation below 1.");
  m.def(
      "planSlices",
      [](const poplar::Target& target, const poplar::Type& type,
         const std::vector<std::uint64_t>& sizes, const poplar::OptionFlags& options) -> Values {
        const bool fits = sizes.size() == 4 && std::count(sizes.begin(), sizes.end(), 0) == 0;
        if (!fits)
          throw poplar::poplar_error("planSlices: " + std::to_string(sizes.size()) +
                                     " sizes given, expected 4 that are 1 at least: groups, "
                                     "entries, size, lookups");
        const auto use = sliceUseOf("planSlices", options);
        const SliceSizes what{type, sizes[0], sizes[1], sizes[2], sizes[3]};
        const auto p = planSlices(target.spec(), what, use, target.getNumTiles());
        const auto e = estimateSlices(target.spec(), what, use, p);
        return py::dict("precopy"_a = p.precopy, "serial"_a = p.serial, "lookups"_a = p.lookups,
                        "entries"_a = p.entries, "columns"_a = p.columns, "groups"_a = p.groups,
                        "grain"_a = p.grain, "searches"_a = p.searches,
                        "first"_a = firstTileOf(p, what.groups, target.getNumTiles()),
                        "readCycles"_a = e.readCycles, "updateCycles"_a = e.updateCycles,
                        "readBytes"_a = e.readBytes, "updateBytes"_a = e.updateBytes,
                        "memory"_a = e.memory());
      },
      py::arg("target"), py::arg("type"), py::arg("sizes"),
      py::arg("options") = poplar::OptionFlags(),
      "How the planner splits slices of a table over the tiles of `target`, as a dict with fields\n"
      "of SlicePartition (cpp/workload/slices.hpp), the first tile, and what it says of a read "
      "and\n"
      "of an update: cycles, and bytes of temporary data on the fullest tile.\n"
      "`type`: the element type of the table.\n"
      "`sizes`: groups, entries, size and lookups (SliceSizes).\n"
      "`options`: those of popops::embedding::plan.\n"
      "Raises poplar_exception for other sizes, poplar_invalid_option for invalid options.");
  m.def("tileCycles", &tileCycles, py::arg("text"),
        "Cycles of a tile's worker for each basic block of each function that a module of LLVM's\n"
        "intermediate representation defines, as they are counted of codelets. What depends on\n"
        "values (divisions of integers, copies of variable length) is not in it.\n"
        "`text`: the module as text, of LLVM 15 or newer.");
  m.def(
      "estimateCycles",
      [](const poplar::Target& target, const std::string& vertexClass, const poplar::Type& type,
         const std::vector<std::uint64_t>& sizes) {
        const auto* kind = findVertexClass(vertexClass);
        const auto work = kind ? withSizes(kind->blank, type, sizes) : UnknownWork{};
        return estimateCycles(target.spec(), vertexClass, work);
      },
      py::arg("target"), py::arg("vertexClass"), py::arg("type"), py::arg("sizes"),
      "The cycles that one tile of `target` takes for its part of a vertex.\n"
      "`type`: the element type of the first operand that is read.\n"
      "`sizes`: the fields of the struct in cpp/workload/work.hpp that describes the class,\n"
      "in their order; fields that are left out have the struct's defaults.\n"
      "Raises poplar_exception for a class without an estimator, more numbers than the\n"
      "struct has fields, and a number beyond an enumeration.");
  m.def(
      "sourceOfCycles",
      [](const std::string& vertexClass, const poplar::Type& type,
         const std::vector<std::uint64_t>& sizes) {
        const auto* kind = findVertexClass(vertexClass);
        return std::string(
            sourceOf({vertexClass, kind ? withSizes(kind->blank, type, sizes) : UnknownWork{}}));
      },
      py::arg("vertexClass"), py::arg("type"), py::arg("sizes"),
      "What reports say of the cycles of a vertex: \"estimator\" for a published formula,\n"
      "\"guess\" for another, \"bytes\" for a class without an estimator.\n"
      "`type`, `sizes`: as for estimateCycles.\n"
      "Raises poplar_exception for more numbers than the struct has fields, and a number\n"
      "beyond an enumeration.");
}

}  // namespace popir
