#include "poplar/machine_reading.hpp"

#include <poplar/Engine.hpp>
#include <poplar/exceptions.hpp>
#include <set>
#include <sstream>

#include "machine/estimators.hpp"
#include "poplar/engine_impl.hpp"

namespace popir {
namespace {

using Operations = std::vector<std::pair<const void*, OperationCost>>;  // of what, to join its rows

// The costs of a branch of a program.
struct Costs {
  std::uint64_t compute = 0, exchange = 0, sync = 0, bytes = 0, hostIn = 0, hostOut = 0;
  Operations operations;

  std::uint64_t cycles() const { return compute + exchange + sync; }
  void add(const Costs& o) {
    compute += o.compute;
    exchange += o.exchange;
    sync += o.sync;
    bytes += o.bytes;
    hostIn += o.hostIn;
    hostOut += o.hostOut;
    operations.insert(operations.end(), o.operations.begin(), o.operations.end());
  }
};

class Reading {
 public:
  explicit Reading(const GraphImpl& graph) : graph_(graph), spec_(graph.target.spec()) {}

  void read(const ProgramNode& node, std::uint64_t times, Costs& to) {
    using Kind = ProgramNode::Kind;
    switch (node.kind) {
      case Kind::Sequence:
        for (const auto& child : node.children) read(*child, times, to);
        return;
      case Kind::Execute: return execute(node, times, to);
      case Kind::Copy: {
        if (node.src.numElements() == 0) return;
        Costs cost;
        std::vector<Phase> phases{phaseOfCopy(graph_, node.src, node.dst)};
        charge(phases, times, cost);
        addRow(&node, node.name, "Copy", phases, times, 0, cost);
        to.add(cost);
        return;
      }
      case Kind::StreamToDst: to.hostIn += times * bytesOf(node.dst); return;
      case Kind::SrcToStream: to.hostOut += times * bytesOf(node.src); return;
      case Kind::Repeat: return read(*node.children[0], times * node.count, to);
      case Kind::While:
        unknownLoops = true;
        read(*node.children[0], times, to);
        return read(*node.children[1], times, to);
      case Kind::If: {
        branches = true;
        Costs yes, no;
        read(*node.children[0], times, yes);
        read(*node.children[1], times, no);
        return to.add(yes.cycles() >= no.cycles() ? yes : no);
      }
      case Kind::Call: return read(*graph_.functions[node.function.getId()], times, to);
      case Kind::Sync: to.sync += times * spec_.phaseCycles; return;
      case Kind::Print:
      case Kind::WriteUndef: return;
    }
  }

  bool unknownLoops = false, branches = false;
  std::set<std::string> withoutEstimator;

 private:
  static std::uint64_t bytesOf(const poplar::Tensor& t) {
    return t.numElements() * t.elementType().sizeInBytes();
  }

  void charge(const std::vector<Phase>& phases, std::uint64_t times, Costs& to) const {
    for (const auto& phase : phases) {
      to.compute += times * phase.computeCycles();
      to.exchange += times * phase.traffic.cycles(spec_);
      to.sync += times * spec_.phaseCycles;
      to.bytes += times * phase.traffic.bytes();
    }
  }

  void addRow(const void* what, const std::string& name, const std::string& vertexClass,
              const std::vector<Phase>& phases, std::uint64_t times, std::uint64_t flops,
              Costs& to) const {
    Costs own;
    charge(phases, times, own);
    to.operations.push_back({what,
                             {name, vertexClass, times, own.compute, own.exchange, own.sync,
                              own.bytes, times * flops}});
  }

  // Vertices of one compute set run in the same phases, one after another on each tile.
  void execute(const ProgramNode& node, std::uint64_t times, Costs& to) {
    std::vector<Phase> together;
    Costs cost;
    for (const auto& vertex : graph_.computeSets[node.computeSet.getId()].bulk) {
      const auto work = workOf(vertex);
      if (!findVertexClass(work.vertexClass)) withoutEstimator.insert(work.vertexClass);
      const auto phases = phasesOf(graph_, vertex, work);
      addRow(&vertex, vertex.name.empty() ? node.name : vertex.name, work.vertexClass, phases,
             times, work.flops, cost);
      for (std::size_t i = 0; i < phases.size(); ++i) {
        if (i == together.size()) together.emplace_back(spec_.numTiles());
        together[i].add(phases[i]);
      }
    }
    executeCodelets(node, times, together, cost);
    charge(together, times, cost);
    to.add(cost);
  }

  // A row for all of a set: its vertices run together, and a name each would be thousands.
  void executeCodelets(const ProgramNode& node, std::uint64_t times, std::vector<Phase>& together,
                       Costs& cost) {
    const auto& set = graph_.computeSets[node.computeSet.getId()];
    if (set.vertices.empty()) return;
    std::uint64_t flops = 0;
    std::set<std::string> types;
    for (const auto id : set.vertices) {
      const auto& vertex = graph_.vertices[id];
      flops += vertex.flops;
      types.insert(vertex.codelet->name);
      if (!vertex.estimated) withoutEstimator.insert(vertex.codelet->name);
    }
    const auto phase = phaseOfCodelets(graph_, node.computeSet.getId());
    addRow(&set, set.name.empty() ? node.name : set.name,
           types.size() == 1 ? *types.begin() : "codelets", {phase}, times, flops, cost);
    if (together.empty()) together.emplace_back(spec_.numTiles());
    together.front().add(phase);
  }

  const GraphImpl& graph_;
  const TargetSpec& spec_;
};

// Rows of the same vertex or copy, called from several places, joined.
std::vector<OperationCost> joined(const Operations& rows) {
  std::vector<OperationCost> all;
  std::map<const void*, std::size_t> where;
  for (const auto& [what, row] : rows) {
    const auto known = where.emplace(what, all.size());
    if (known.second) {
      all.push_back(row);
      continue;
    }
    auto& sum = all[known.first->second];
    sum.times += row.times;
    sum.computeCycles += row.computeCycles;
    sum.exchangeCycles += row.exchangeCycles;
    sum.syncCycles += row.syncCycles;
    sum.exchangeBytes += row.exchangeBytes;
    sum.flops += row.flops;
  }
  return all;
}

std::string unheldTypes(const GraphImpl& graph) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> found;  // type: variables, bytes
  for (const auto& v : graph.variables) {
    if (v.type.sizeInBytes() != 8 && v.type != poplar::BFLOAT16) continue;
    auto& entry = found[v.type.toString()];
    ++entry.first;
    entry.second += v.bytes();
  }
  std::ostringstream os;
  for (const auto& [type, entry] : found)
    os << (os.tellp() > 0 ? "; " : "") << type << ": " << entry.first << " variables, "
       << entry.second << " bytes";
  return os.str();
}

void explain(const GraphImpl& graph, const Reading& reading, MachineReport& report) {
  const auto& spec = graph.target.spec();
  const auto say = [&](std::string line) { report.counts.push_back(std::move(line)); };
  if (spec.type == poplar::TargetType::CPU)
    say("The target is the host's CPU: cycles are those of an IPU2 tile that has all of the "
        "memory");
  say("Cycles are estimates of the program as grown, before the host's fusion and layouts; a "
      "compute set takes as long as its fullest tile");
  say("A vertex is shared over the tiles that hold what it writes, a contraction over all tiles of "
      "their IPUs as the planner splits it");
  say("Exchange counts bytes that are not on the tile that needs them, " +
      std::to_string(spec.exchangeBytesPerCycle) +
      " a cycle in or out, and spans of them, not links between IPUs; every phase has " +
      std::to_string(spec.phaseCycles) + " cycles of sync and calls");
  say("Host streams are no part of the cycles: their seconds are those of their bytes");
  if (reading.unknownLoops) say("Loops that end by a condition are counted once");
  if (reading.branches) say("Of two branches the dearer is counted");
  for (const auto& c : reading.withoutEstimator)
    say("No estimator knows vertices of class '" + c +
        "': they are taken for one pass over their bytes");
  say("Memory counts variables, constants, stacks, and at the worst step temporaries and operands "
      "gathered for it; not code, vertex state, exchange code, host exchange buffers or gaps");
  if (report.tilesOutOfMemory > 0)
    say(std::to_string(report.tilesOutOfMemory) + " tiles would be out of memory");
  const auto unheld = unheldTypes(graph);
  if (!unheld.empty()) say("No IPU holds these types, costed by their size: " + unheld);
}

}  // namespace

MachineReport readMachine(const GraphImpl& graph, const Programs& programs, std::size_t program) {
  if (program >= programs.size())
    throw poplar::control_program_error("machine report: program " + std::to_string(program) +
                                        " given, the engine has " +
                                        std::to_string(programs.size()));
  MachineReport report;
  const auto& spec = graph.target.spec();
  report.target = spec.arch;
  report.tiles = spec.numTiles();
  report.clockHz = spec.tileClockFrequency;
  Reading reading(graph);
  Costs costs;
  if (programs[program]) reading.read(*programs[program], 1, costs);
  report.cycles = costs.cycles();
  report.computeCycles = costs.compute;
  report.exchangeCycles = costs.exchange;
  report.syncCycles = costs.sync;
  report.exchangeBytes = costs.bytes;
  report.hostBytesIn = costs.hostIn;
  report.hostBytesOut = costs.hostOut;
  report.hostSeconds = static_cast<double>(costs.hostIn + costs.hostOut) / spec.hostBytesPerSecond;
  report.operations = joined(costs.operations);
  for (const auto& row : report.operations) report.flops += row.flops;
  readMemory(graph, programs, report);
  explain(graph, reading, report);
  return report;
}

}  // namespace popir

namespace poplar {

void Engine::printProfileSummary(std::ostream& stream, const OptionFlags&) const {
  for (std::size_t p = 0; p < impl_->programs().size(); ++p) {
    const auto report = popir::readMachine(impl_->graph(), impl_->programs(), p);
    stream << "Program " << p << "\n" << report.summary();
  }
}

}  // namespace poplar
