#include "costing/reading.hpp"

#include <iomanip>
#include <poplar/exceptions.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "codelets/counting.hpp"
#include "costing/memory.hpp"
#include "costing/transfers.hpp"
#include "machine/estimators/estimators.hpp"
#include "poplar/remote_buffer.hpp"

namespace popir {
namespace {

void add(const StepCost& step, MachineReport& to) {
  to.computeCycles += step.times * step.computeCycles;
  to.exchangeCycles += step.times * step.exchangeCycles;
  to.syncCycles += step.times * step.syncCycles;
  to.cycles += step.times * step.cycles();
  to.interIPUCycles += step.times * step.interIPUCycles;
  to.interIPUBytes += step.times * step.interIPUBytes;
  to.exchangeBytes += step.times * step.exchangeBytes;
  if (step.kind == "StreamCopy") {
    to.rearrangementCycles += step.times * step.exchangeCycles;
    to.rearrangementBytes += step.times * step.exchangeBytes;
  }
  to.hostBytesIn += step.times * step.hostBytesIn;
  to.hostBytesOut += step.times * step.hostBytesOut;
  to.streamingBytesIn += step.times * step.streamingBytesIn;
  to.streamingBytesOut += step.times * step.streamingBytesOut;
}

// Walks a program tree and makes its list of steps. Visits leaves in the order of flatten(): step s
// of the list is leaf s of the flattened program.
class Reading {
 public:
  Reading(const GraphImpl& graph, StepCosts& costs, const MachineMemory& memory,
          std::size_t program)
      : graph_(graph),
        costs_(costs),
        leaves_(memory.program(program).leaves),
        live_(memory.live(program)) {}

  void read(const ProgramNode& node, std::uint64_t times) {
    using Kind = ProgramNode::Kind;
    if (isLeaf(node)) return leaf(node, times);
    switch (node.kind) {
      case Kind::Sequence: {
        const bool names = !named_ && !node.name.empty();
        if (names) blocks_.push_back(node.name);
        named_ = named_ || names;
        const auto all = [&] {
          for (const auto& child : node.children) read(*child, times);
        };
        if (node.name.empty())
          all();
        else
          part("Sequence", node.name, times, all);
        if (!names) return;
        blocks_.pop_back();
        named_ = false;
        return;
      }
      case Kind::Repeat:
        if (node.count == 0) return;
        return part("Repeat", node.name, times,
                    [&] { read(*node.children[0], times * node.count); });
      case Kind::Loop:
        unknownLoops = true;
        return part("Loop", node.name, times, [&] { read(*node.children[0], times); });
      case Kind::While:
        unknownLoops = true;
        return part("While", node.name, times, [&] {
          read(*node.children[0], times);
          read(*node.children[1], times);
        });
      case Kind::If: {
        branches = true;
        const auto yes = steps.size();
        part("If", node.name, times, [&] { read(*node.children[0], times); });
        const auto no = steps.size();
        part("Else", node.name, times, [&] { read(*node.children[1], times); });
        const bool first = cyclesOf(yes, no) >= cyclesOf(no, steps.size());
        for (auto s = first ? no : yes; s < (first ? steps.size() : no); ++s) steps[s].times = 0;
        return;
      }
      case Kind::Call: {
        const bool named = std::exchange(named_, false);
        part("Call", node.name, times,
             [&] { read(*graph_.functions[node.function.getId()], times); });
        named_ = named;
        return;
      }
      default: return;
    }
  }

  // The report's operations. Costs of the same vertex or copy are added up over all steps that
  // execute it.
  std::vector<OperationCost> operations() {
    std::vector<OperationCost> all;
    std::map<const void*, std::size_t> where;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const auto times = steps[s].times;
      if (times == 0) continue;
      for (const auto& [what, row] : costs_.of(*leaves_[s].node).rows) {
        const auto known = where.emplace(what, all.size());
        if (known.second) all.push_back({row.name, row.vertexClass, row.source});
        steps[s].operations.push_back(known.first->second);
        auto& sum = all[known.first->second];
        sum.times += times;
        sum.computeCycles += times * row.computeCycles;
        sum.exchangeCycles += times * row.exchangeCycles;
        sum.syncCycles += times * row.syncCycles;
        sum.exchangeBytes += times * row.exchangeBytes;
        sum.flops += times * row.flops;
      }
    }
    return all;
  }

  // What each tile computes and receives in one run, and whose cycles are not known.
  void balance(MachineReport& report) const {
    std::set<std::string> unknown;
    report.tileComputeCycles.resize(report.tiles);
    report.tileReceivedBytes.resize(report.tiles);
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const auto& alone = costs_.of(*leaves_[s].node);
      alone.computeCycles.addTo(report.tileComputeCycles, steps[s].times);
      alone.received.addTo(report.tileReceivedBytes, steps[s].times);
      if (steps[s].times > 0) unknown.insert(alone.unknown.begin(), alone.unknown.end());
    }
    report.unknown.assign(unknown.begin(), unknown.end());
  }

  // The remote buffers that the program uses, with the bytes that it reads and writes.
  std::vector<RemoteBufferCost> remoteBuffers() const {
    std::vector<RemoteBufferCost> all;
    std::map<std::string, std::size_t> where;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const auto& node = *leaves_[s].node;
      if (node.kind != ProgramNode::Kind::HostCall) continue;
      const auto copy = remoteCopyOf(node.hostFunction);
      if (!copy) continue;
      const auto known = where.emplace(copy->buffer, all.size());
      if (known.second) all.push_back({copy->buffer, copy->rowBytes * copy->rows});
      auto& buffer = all[known.first->second];
      buffer.bytesIn += steps[s].times * steps[s].streamingBytesIn;
      buffer.bytesOut += steps[s].times * steps[s].streamingBytesOut;
    }
    return all;
  }

  std::vector<StepCost> steps;
  std::vector<ProgramPart> parts;
  bool unknownLoops = false, branches = false;

 private:
  // Reads the nodes inside of one that stands in the tree of the program; one without steps does not.
  template <class F>
  void part(const char* kind, const std::string& name, std::uint64_t times, const F& inside) {
    const auto at = parts.size();
    parts.push_back({kind, name, depth_++, steps.size(), 0, times});
    inside();
    --depth_;
    parts[at].steps = steps.size() - parts[at].firstStep;
    if (parts[at].steps == 0) parts.resize(at);
  }

  void leaf(const ProgramNode& node, std::uint64_t times) {
    const auto at = steps.size();
    steps.push_back(costs_.of(node).cost);
    steps.back().times = times;
    steps.back().blocks = blocks_;
    steps.back().liveBytes = live_[at].total;
    steps.back().fullestTileLiveBytes = live_[at].fullestTile;
  }

  std::uint64_t cyclesOf(std::size_t begin, std::size_t end) const {
    std::uint64_t sum = 0;
    for (auto s = begin; s < end; ++s) sum += steps[s].times * steps[s].cycles();
    return sum;
  }

  const GraphImpl& graph_;
  StepCosts& costs_;
  const std::vector<Leaf>& leaves_;
  const std::vector<MachineMemory::Live>& live_;
  std::vector<std::string> blocks_;  // names of sequences around the node
  bool named_ = false;               // blocks_.back() is in the current function
  std::uint64_t depth_ = 0;          // nodes around the node in `parts`
};

std::string unheldTypes(const GraphImpl& graph) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> found;  // type: variables, bytes
  for (const auto& v : graph.variables) {
    if (!isForeignToIPUs(v.type)) continue;
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

std::string microseconds(double seconds) {
  std::ostringstream os;
  os << std::setprecision(4) << seconds * 1e6;
  return os.str();
}

void explain(const GraphImpl& graph, const Reading& reading, const StepCosts& costs,
             const CodeletCounts* counts, MachineReport& report) {
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
      " a cycle in or out, and spans of them; links between IPUs as " +
      (spec.exchangeLimits.empty() ? "a ladder" : "the model limits them") +
      "; before an exchange are " + std::to_string(spec.maxIPUSyncDelay) + " cycles of sync and " +
      std::to_string(spec.exchangeStartCycles) +
      " to start it, and the call of a compute set takes " + std::to_string(spec.callCycles) +
      ": a guess, but for the sync and the call of a copy; no source tells the start of an "
      "exchange "
      "from these two");
  say("Host streams have seconds of their own, those of their bytes; the cycles count what spreads "
      "their data over tiles, where it lies otherwise than linearly");
  if (report.hostTransfers > 0)
    say("Each transfer with the host takes " + microseconds(spec.hostLatencySeconds) +
        " us beside its bytes, which is a guess: no figure is published");
  if (report.overlapSeconds > 0)
    say("Of transfers with tiles that have no vertex, the IO tiles, " +
        microseconds(report.overlapSeconds) + " us overlap with the cycles");
  if (!report.remoteBuffers.empty())
    say("Remote buffers lie in streaming memory and take no tile's; their transfers have seconds "
        "of "
        "their own, and what spreads their data over tiles is in the cycles");
  if (costs.joinedCopies() > 0)
    say("Copies that follow one another and need nothing of one another are one exchange: each "
        "takes what it makes that longer by");
  if (reading.unknownLoops) say("Loops that end by a condition are counted once");
  if (reading.branches) say("Of two branches the dearer is counted");
  std::set<std::string> guessed;
  for (const auto& row : report.operations)
    if (row.source == nameOf(Formula::Guess)) guessed.insert(row.vertexClass);
  for (const auto& c : guessed)
    say("Compute cycles of vertices of class '" + c +
        "' are a guess: no formula for them, or for their types, is published");
  std::set<std::string> codelets;
  for (const auto& v : graph.vertices) codelets.insert(v.codelet->name);
  for (const auto& c : report.unknown)
    say("Nobody says what vertices of class '" + c +
        "' take: their cycles are in no figure, and those of the program are at least as many. "
        "Give them setPerfEstimate" +
        (!codelets.count(c) ? ""
         : counts           ? " or registerPerfEstimator, or run the program first"
                  : " or registerPerfEstimator, or run the program first in an engine with "
                    "the option debug.instrument, which counts what they execute"));
  for (const auto& c : costs.counted)
    say("Vertices of class '" + c +
        "' take the bundles that a tile would have executed the first time, by a model of its "
        "instructions");
  if (counts)
    for (const auto& [type, why] : counts->failures)
      say("Vertices of class '" + type + "' could not be counted: " + why);
  say("Memory counts variables, constants, gaps, stacks, code and vertex state, and at the worst "
      "step of each tile temporaries, operands gathered for it, and what a stream brings or takes "
      "in "
      "its own order");
  say("Code of a class of vertices is that of PopLibs' assembly, where it is of that, else " +
      std::to_string(spec.vertexCodeBytes) +
      " bytes, the longest that a published report has; of a node of the program " +
      std::to_string(spec.controlCodeBytesPerStep) + ", a guess. The state of a vertex is " +
      std::to_string(spec.vertexStateBytes) + " bytes, and " + std::to_string(spec.edgeStateBytes) +
      " of each operand, as such reports have it");
  if (report.tilesOutOfMemory > 0)
    say(std::to_string(report.tilesOutOfMemory) + " tiles would be out of memory");
  const auto unheld = unheldTypes(graph);
  if (!unheld.empty()) say("No IPU holds these types, costed by their size: " + unheld);
}

}  // namespace

MachineReport readMachine(const GraphImpl& graph, const Programs& programs, std::size_t program,
                          const poplar::ProgressFunc& progress, const CodeletCounts* counts) {
  if (program >= programs.size())
    throw poplar::control_program_error("machine report: program " + std::to_string(program) +
                                        " given, the engine has " +
                                        std::to_string(programs.size()));
  MachineReport report;
  const auto& spec = graph.target.spec();
  report.target = spec.arch;
  report.tiles = spec.numTiles();
  report.numIPUs = spec.numIPUs;
  report.tilesPerIPU = spec.tilesPerIPU;
  report.clockHz = spec.tileClockFrequency;
  StepCosts costs(graph, programs, counts);
  const MachineMemory memory(graph, programs, &costs, progress);
  Reading reading(graph, costs, memory, program);
  if (programs[program]) reading.read(*programs[program], 1);
  for (const auto& step : reading.steps) add(step, report);
  report.remoteBuffers = reading.remoteBuffers();
  for (const auto& buffer : report.remoteBuffers) report.streamingMemoryBytes += buffer.bytes;
  report.operations = reading.operations();
  reading.balance(report);
  report.parts = std::move(reading.parts);
  report.steps = std::move(reading.steps);
  addTransfers(graph, costs, memory.program(program).leaves, report);
  for (const auto& row : report.operations) report.flops += row.flops;
  report.distinctSteps = costs.steps();
  memory.into(report);
  report.variables = memory.variables(program);
  for (const auto& [name, tiles] : costs.vertices())
    report.vertices.push_back(
        {name, costs.codeOf(name), TileBytes(PerTile(tiles.begin(), tiles.end()))});
  explain(graph, reading, costs, counts, report);
  return report;
}

}  // namespace popir
