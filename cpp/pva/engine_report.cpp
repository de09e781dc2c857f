// Reports of an engine: Engine::getReport, and profile.pop by the autoReport options.
#include <popir/version.hpp>
#include <poplar/exceptions.hpp>
#include <pva/pva.hpp>

#include <cmath>
#include <filesystem>
#include <regex>
#include <set>

#include "costing/reading.hpp"
#include "costing/steps.hpp"
#include "costing/transfers.hpp"
#include "engine/engine.hpp"
#include "engine/engine_options.hpp"
#include "engine/replica_engines.hpp"
#include "kernels/pool.hpp"
#include "machine/target_spec.hpp"
#include "pva/profile_data.hpp"

namespace popir {
namespace {

using Type = pva::Program::Type;

// Replays the runs of an engine's programs, with the machine model's cycle estimates.
class Tracer {
 public:
  Tracer(const EngineImpl& engine, ProfileData& data)
      : graph_(engine.graph()),
        data_(data),
        costs_(engine.graph(), engine.programs(), engine.counts()),
        blocks_(filter(engine, "profiler.blocks.filter")),
        programs_(filter(engine, "profiler.programs.filter")),
        streams_(flagFrom(engine.options(), "debug.instrumentExternalExchange", false)),
        clock_(engine.graph().target.spec()) {}

  void run(unsigned program, const std::shared_ptr<ProgramNode>& node) {
    const auto from = now_;
    if (node) walk(*node);
    data_.runs.push_back({program, from, now_});
  }

 private:
  struct Filter {
    bool on = false;
    std::regex names;
    bool takes(const std::string& name) const { return on && std::regex_match(name, names); }
  };
  // An upper limit that keeps reports usable.
  static constexpr std::size_t kMostBlocks = 1u << 20;

  static Filter filter(const EngineImpl& engine, const char* option) {
    const auto found = engine.options().find(option);
    if (found == engine.options().end() || found->second.empty()) return {};
    return {true, std::regex(found->second)};
  }

  void block(const std::string& name, Type type, std::uint64_t from) {
    if (data_.blocks.size() >= kMostBlocks) return;
    const auto known = known_.emplace(std::make_pair(name, type), data_.programs.size());
    if (known.second) data_.programs.push_back({name, static_cast<int>(type)});
    data_.blocks.push_back({known.first->second, from, now_});
  }

  void span(const std::string& name, Type type, std::uint64_t cycles) {
    const auto from = now_;
    now_ += cycles;
    if (streams_) block(name, type, from);
  }

  // A transfer, as in the machine model's report. What the report counts on the tiles comes after a
  // transfer to the device, and before one from it.
  void stream(const std::string& name, const ProgramNode& node) {
    const auto& alone = costs_.of(node);
    const auto& cost = alone.cost;
    const bool arrives = cost.hostBytesIn + cost.streamingBytesIn > 0;
    const bool isTransfer = arrives || cost.hostBytesOut + cost.streamingBytesOut > 0;
    const auto seconds = isTransfer ? clock_.add(alone, follows_) : 0;
    follows_ = isTransfer;
    span(name, Type::StreamCopyBegin, arrives ? 0 : cost.cycles());
    span(name, Type::StreamCopyMid,
         static_cast<std::uint64_t>(
             std::llround(seconds * graph_.target.spec().tileClockFrequency)));
    span(name, Type::StreamCopyEnd, arrives ? cost.cycles() : 0);
  }

  std::uint64_t cyclesOf(const ProgramNode& node) {
    using Kind = ProgramNode::Kind;
    if (isLeaf(node)) return costs_.of(node).cost.cycles();
    if (node.kind == Kind::Call) return cyclesOf(*graph_.functions[node.function.getId()]);
    std::uint64_t cycles = 0;
    for (const auto& child : node.children)
      cycles =
          node.kind == Kind::If ? std::max(cycles, cyclesOf(*child)) : cycles + cyclesOf(*child);
    return node.kind == Kind::Repeat ? node.count * cycles : cycles;
  }

  void walk(const ProgramNode& node) {
    using Kind = ProgramNode::Kind;
    const auto from = now_;
    const bool streams = node.kind == Kind::StreamToDst || node.kind == Kind::SrcToStream ||
                         node.kind == Kind::HostCall;
    if (node.kind == Kind::Repeat || (isLeaf(node) && !streams)) follows_ = false;
    switch (node.kind) {
      case Kind::Sequence:
        for (const auto& child : node.children) walk(*child);
        if (node.isBlock && blocks_.takes(node.name)) block(node.name, Type::Sequence, from);
        return;
      case Kind::Repeat:
        for (unsigned i = 0; i < node.count; ++i) {
          walk(*node.children[0]);
          follows_ = false;
        }
        return;
      case Kind::Call: return walk(*graph_.functions[node.function.getId()]);
      case Kind::StreamToDst: return stream(node.stream.handle(), node);
      case Kind::SrcToStream: return stream(node.stream.handle(), node);
      case Kind::HostCall: return stream(node.hostFunction.handle(), node);
      case Kind::Loop:
      case Kind::While:  // counted once, as by the machine model
        for (const auto& child : node.children) walk(*child);
        return;
      case Kind::If: {  // the branch that the machine model counts
        const auto& yes = *node.children[0];
        const auto& no = *node.children[1];
        return walk(cyclesOf(yes) >= cyclesOf(no) ? yes : no);
      }
      case Kind::Execute: {
        const auto& alone = costs_.of(node);
        now_ += alone.cost.cycles();
        const auto set = node.computeSet.getId();
        const auto& name = graph_.computeSets[set].name;
        const auto known = sets_.emplace(set, data_.sets.size());
        if (known.second) {
          PerTile cycles(graph_.target.spec().numTiles());
          alone.computeCycles.addTo(cycles);
          data_.sets.push_back({name, std::move(cycles)});
        }
        if (data_.steps.size() < kMostBlocks) data_.steps.push_back(known.first->second);
        if (programs_.takes(name)) block(name, Type::OnTileExecute, from);
        return;
      }
      default:
        if (isLeaf(node)) now_ += costs_.of(node).cost.cycles();
        return;
    }
  }

  const GraphImpl& graph_;
  ProfileData& data_;
  StepCosts costs_;
  const Filter blocks_, programs_;
  const bool streams_;
  std::uint64_t now_ = 0;
  TransferClock clock_;
  bool follows_ = false;  // whether the step before was a transfer, as often executed
  std::map<std::pair<std::string, Type>, std::size_t> known_;
  std::map<unsigned, std::size_t> sets_;  // by compute set: its row
};

/// Calls `visit` with each step of a program once.
template <class Visit>
void eachLeaf(const GraphImpl& graph, const ProgramNode& node, std::set<const void*>& seen,
              const Visit& visit) {
  if (!seen.insert(&node).second) return;
  if (isLeaf(node)) visit(node);
  for (const auto& child : node.children) eachLeaf(graph, *child, seen, visit);
  if (node.kind == ProgramNode::Kind::Call)
    eachLeaf(graph, *graph.functions[node.function.getId()], seen, visit);
}

bool reports(const poplar::OptionFlags& options) {
  for (const auto* name :
       {"autoReport.all", "autoReport.outputGraphProfile", "autoReport.outputExecutionProfile"})
    if (flagFrom(options, name, false)) return true;
  return false;
}

std::shared_ptr<ProfileData> graphProfile(const GraphImpl& graph, const Programs& programs) {
  auto data = std::make_shared<ProfileData>();
  const auto& spec = graph.target.spec();
  data->version = std::string("popir ") + popir_version();
  data->arch = spec.arch;
  data->numIPUs = spec.numIPUs;
  data->tilesPerIPU = spec.tilesPerIPU;
  data->bytesPerTile = spec.memoryBytesPerTile;
  data->clockHz = spec.tileClockFrequency;
  data->computeSets = static_cast<unsigned>(graph.computeSets.size());
  data->vertices = static_cast<unsigned>(graph.vertices.size());
  data->variables = static_cast<unsigned>(graph.variables.size());
  for (const auto& v : graph.vertices)
    for (const auto& f : v.fields) data->edges += static_cast<unsigned>(f.tensors.size());
  for (const auto& cs : graph.computeSets) {
    data->vertices += static_cast<unsigned>(cs.bulk.size());
    for (const auto& v : cs.bulk) data->edges += static_cast<unsigned>(v.operands.size());
  }
  data->tileBytes.resize(spec.numTiles());
  if (programs.empty()) return data;
  data->memory = readMachine(graph, programs, 0, {}).memory;
  for (const auto& category : data->memory)
    for (std::size_t t = 0; t < data->tileBytes.size(); ++t)
      data->tileBytes[t] += category.tileBytes[t];
  StepCosts costs(graph, programs);
  std::set<const void*> seen;
  for (const auto& program : programs)
    if (program) eachLeaf(graph, *program, seen, [&](const ProgramNode& leaf) { costs.of(leaf); });
  for (auto [type, byTile] : costs.vertices()) {
    byTile.resize(spec.numTiles());
    data->vertexTypes.push_back({type, byTile});
  }
  return data;
}

// A program is costed as a whole, each time that a profile is written.
std::vector<MachineReport> reportsOf(const GraphImpl& graph, const Programs& programs,
                                     const CodeletCounts* counts) {
  std::vector<MachineReport> reports;
  for (std::size_t p = 0; p < programs.size(); ++p)
    reports.push_back(readMachine(graph, programs, p, {}, counts));
  return reports;
}

std::string profileFile(const poplar::OptionFlags& options) {
  const auto found = options.find("autoReport.directory");
  const std::filesystem::path folder = found == options.end() ? "." : found->second;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  return (folder / "profile.pop").string();
}

}  // namespace

std::shared_ptr<ProfileData> profileOf(const EngineImpl& engine, bool execution) {
  const auto data = graphProfile(engine.graph(), engine.programs());
  if (!execution) return data;
  Tracer tracer(engine, *data);
  for (const auto program : engine.runs()) tracer.run(program, engine.programs()[program]);
  return data;
}

std::string writeGraphProfile(const GraphImpl& graph, const Programs& programs,
                              const poplar::OptionFlags& options) {
  if (!reports(options)) return "";
  const auto path = profileFile(options);
  const auto data = graphProfile(graph, programs);
  data->reports = reportsOf(graph, programs, nullptr);
  writeProfile(*data, path);
  return path;
}

void EngineImpl::report() const {
  if (!reports(options_)) return;
  const auto data = profileOf(*this, true);
  data->reports = reportsOf(graph(), programs(), counts());
  writeProfile(*data, profileFile(options_));
}

EngineImpl::~EngineImpl() {
  pool::freeIdleMemory();
  if (runs_.empty()) return;  // nothing to report, or already reported
  try {
    report();
  } catch (const std::exception& e) {
    std::cerr << "Engine: no profile was written: " << e.what() << "\n";
  }
}

}  // namespace popir

namespace poplar {

pva::Report Engine::getReport(bool reportExecution) const {
  return pva::Report(popir::profileOf(*impl_, reportExecution));
}

ProfileValue Engine::getGraphProfile() const {
  using List = ProfileValue::Vector;
  using Map = ProfileValue::Map;
  const auto& graph = impl_->graph();
  Map out;
  out["target"] = Map{{"type", impl_->graph().target.getTargetArchString().str()},
                      {"tiles", graph.target.getNumTiles()},
                      {"tilesPerIPU", graph.target.getTilesPerIPU()},
                      {"numIPUs", graph.target.getNumIPUs()}};
  std::size_t bulk = 0;
  for (const auto& set : graph.computeSets) bulk += set.bulk.size();
  out["graph"] = Map{{"numComputeSets", graph.computeSets.size()},
                     {"numVars", graph.variables.size()},
                     {"numVertices", graph.vertices.size() + bulk}};
  if (!impl_->programs().empty()) {
    const auto report = popir::readMachine(graph, impl_->programs(), 0, {}, impl_->counts());
    std::vector<std::uint64_t> tiles(report.tiles);
    for (const auto& category : report.memory)
      for (std::size_t t = 0; t < category.tileBytes.size() && t < tiles.size(); ++t)
        tiles[t] += category.tileBytes[t];
    out["memory"] = Map{{"byTile", Map{{"total", List(tiles.begin(), tiles.end())}}},
                        {"total", report.totalBytes}};
  }
  return out;
}

void Engine::resetExecutionProfile() { impl_->forgetRuns(); }

ProfileValue Engine::getExecutionProfile() const {
  using Map = ProfileValue::Map;
  ProfileValue::Vector programs;
  for (std::size_t p = 0; p < impl_->programs().size(); ++p) {
    const auto report =
        popir::readMachine(impl_->graph(), impl_->programs(), p, {}, impl_->counts());
    programs.emplace_back(Map{{"cycles", report.cycles},
                              {"computeCycles", report.computeCycles},
                              {"exchangeCycles", report.exchangeCycles},
                              {"syncCycles", report.syncCycles},
                              {"exchangeBytes", report.exchangeBytes},
                              {"flops", report.flops}});
  }
  ProfileValue::Vector runs;
  for (const auto program : impl_->runs()) runs.emplace_back(program);
  return Map{{"programs", programs}, {"runs", runs}};
}

void printGraphSummary(std::ostream& out, const std::string& profilePath, const OptionFlags&) {
  const auto report = pva::openReport(profilePath);
  const auto compilation = report.compilation();
  const auto target = compilation.target();
  const auto graph = compilation.graph();
  out << "Target: " << target.architecture() << ", " << target.numIPUs() << " IPUs of "
      << target.tilesPerIpu() << " tiles, " << target.bytesPerTile() << " bytes each\n"
      << "Graph: " << graph.numVars() << " variables, " << graph.numVertices() << " vertices, "
      << graph.numEdges() << " edges, " << graph.numComputeSets() << " compute sets\n";
  std::uint64_t all = 0, most = 0;
  std::size_t at = 0;
  std::map<std::string, std::uint64_t> vertices;
  const auto tiles = compilation.tiles();
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    const auto bytes = tiles[t].memory().total().includingGaps();
    all += bytes;
    if (bytes > most) most = bytes, at = t;
    for (const auto& v : tiles[t].memory().vertices()) vertices[v.type().name()] += v.count();
  }
  out << "Memory: " << all << " bytes, " << most << " on tile " << at << "\n";
  for (const auto& [name, count] : vertices) out << "  " << count << " " << name << "\n";
}
void printGraphSummary(std::ostream& out, const ProfileValue& graphProfile, const OptionFlags&) {
  serializeToJSON(out, graphProfile, true);
}
void printProfileSummary(std::ostream& out, const ProfileValue& graphProfile,
                         const ProfileValue& executionProfile, const OptionFlags&) {
  serializeToJSON(out, graphProfile, true);
  serializeToJSON(out, executionProfile, true);
}

void Engine::printProfileSummary(std::ostream& stream, const OptionFlags&) const {
  for (std::size_t p = 0; p < impl_->programs().size(); ++p) {
    const auto report =
        popir::readMachine(impl_->graph(), impl_->programs(), p, {}, impl_->counts());
    stream << "Program " << p << "\n" << report.summary();
  }
}

void Engine::reportIntervals(std::ostream& stream) const {
  stream << "program,from,to\n";
  for (const auto& block : getReport().execution().blocks(0)) {
    std::string name = block.program()->name();
    for (std::size_t at = 0; (at = name.find('"', at)) != std::string::npos; at += 2)
      name.insert(at, 1, '"');
    stream << '"' << name << "\"," << block.cyclesFrom() << ',' << block.cyclesTo() << '\n';
  }
}

}  // namespace poplar
