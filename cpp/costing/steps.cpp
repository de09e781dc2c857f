#include "costing/steps.hpp"

#include <algorithm>
#include <numeric>

#include "machine/code_sizes.hpp"
#include "machine/estimators/estimators.hpp"
#include "poplar/remote_buffer.hpp"

namespace popir {
namespace {

std::uint64_t bytesOf(const poplar::Tensor& t) {
  return t.numElements() * t.elementType().sizeInBytes();
}

// The tiles that have a part of a phase, in ascending order.
std::vector<unsigned> busyTiles(const Phase& phase) {
  std::vector<unsigned> tiles;
  for (unsigned t = 0; t < phase.compute.size(); ++t)
    if (phase.compute[t] > 0 || phase.traffic.received()[t] > 0 || phase.traffic.sent()[t] > 0)
      tiles.push_back(t);
  return tiles;
}

// Numbers of tiles, of one or several phases. Those of one come in ascending order, and few of its
// tiles may have any.
class OfTiles {
 public:
  OfTiles(std::size_t phases, unsigned tiles) : all_(phases == 1 ? 0 : tiles) {}

  void add(unsigned tile, std::uint64_t n) {
    if (all_.empty())
      few_.append(tile, tile + 1, n);
    else
      all_[tile] += n;
  }
  void raise(unsigned tile, std::uint64_t n) {
    if (all_.empty())
      few_.append(tile, tile + 1, n);
    else
      all_[tile] = std::max(all_[tile], n);
  }
  TileBytes take() const { return all_.empty() ? few_ : TileBytes(all_); }

 private:
  PerTile all_;
  TileBytes few_;
};

// Of a phase, or of what it adds to others that it is joined with.
std::uint64_t exchangeCodeOf(const TargetSpec& spec, const Phase& phase, const Phase* both,
                             unsigned tile) {
  const auto instructions = phase.traffic.code(tile);
  if (instructions == 0) return 0;
  const bool begun = both && both->traffic.code(tile) > instructions;
  return (begun ? 0 : spec.exchangeCodeBytesPerPhase) +
         instructions * spec.exchangeCodeBytesPerInstruction;
}

std::uint64_t exchangeCycles(const TargetSpec& spec, const Phase& phase) {
  return phase.traffic.cycles(spec) + phase.traffic.links().cycles(spec);
}

}  // namespace

std::uint64_t StepCosts::syncCycles(const Phase& phase) {
  const bool exchanges = phase.traffic.bytes() > 0;
  return (exchanges ? spec_.beforeExchange() : 0) +
         (phase.computeCycles() > 0 || !phase.unknown.empty() ? phase.calls * spec_.callCycles
                                                              : 0) +
         (phase.traffic.links().bytes() > 0 ? spec_.syncBetweenIPUs(ipusInUse()) : 0);
}

unsigned StepCosts::ipusInUse() {
  if (ipusInUse_ > 0) return ipusInUse_;
  unsigned last = 0;
  for (const auto& variable : graph_.variables)
    if (const auto end = variable.mapping.tilesUpTo(); end > 0) last = std::max(last, end - 1);
  for (const auto& vertex : graph_.vertices)
    if (vertex.tile) last = std::max(last, *vertex.tile);
  return ipusInUse_ = last / spec_.tilesPerIPU + 1;
}

StepCosts::StepCosts(const GraphImpl& graph, const Programs& programs, const CodeletCounts* counts)
    : graph_(graph),
      counts_(counts),
      spec_(graph.target.spec()),
      copies_(graph, programs),
      vertexState_(spec_.numTiles()),
      exchangeCode_(spec_.numTiles()) {}

const StepAlone& StepCosts::of(const ProgramNode& leaf) {
  const void* key = &leaf;
  if (leaf.kind == ProgramNode::Kind::Execute) key = &graph_.computeSets[leaf.computeSet.getId()];
  const auto found = known_.find(key);
  return found != known_.end() ? found->second : known_.emplace(key, make(leaf)).first->second;
}

StepAlone StepCosts::make(const ProgramNode& leaf) {
  using Kind = ProgramNode::Kind;
  StepAlone step;
  const auto stateBefore = allState_;
  step.cost.name = leaf.name;
  switch (leaf.kind) {
    case Kind::Execute: execute(leaf, step); break;
    case Kind::Copy: copy(leaf, step); break;
    case Kind::StreamToDst:
      step.cost.hostBytesIn = bytesOf(leaf.dst);
      stream(leaf.dst, true, leaf.onHost, step);
      break;
    case Kind::SrcToStream:
      step.cost.hostBytesOut = bytesOf(leaf.src);
      stream(leaf.src, false, leaf.onHost, step);
      break;
    case Kind::HostCall:
      if (const auto copy = remoteCopyOf(leaf.hostFunction)) {
        const auto& t = copy->reads ? leaf.outputs.front() : leaf.inputs.back();
        (copy->reads ? step.cost.streamingBytesIn : step.cost.streamingBytesOut) = bytesOf(t);
        stream(t, copy->reads, false, step);
        break;
      }
      step.cost.kind = "StreamCopy";
      for (const auto& t : leaf.inputs) step.cost.hostBytesOut += bytesOf(t);
      for (const auto& t : leaf.outputs) step.cost.hostBytesIn += bytesOf(t);
      step.gatewayBytes.resize(spec_.numGateways());
      for (const auto* tensors : {&leaf.inputs, &leaf.outputs})
        for (const auto& t : *tensors) {
          const auto bytes = bytesAtGateways(graph_, t);
          for (std::size_t g = 0; g < bytes.size(); ++g) step.gatewayBytes[g] += bytes[g];
        }
      break;
    default:
      step.cost.kind = "Sync";
      step.cost.syncCycles = spec_.maxIPUSyncDelay;
      break;
  }
  step.cost.gatheredBytes = step.gathered.total();
  step.cost.vertexStateBytes = allState_ - stateBefore;
  return step;
}

void StepCosts::copy(const ProgramNode& leaf, StepAlone& step) {
  step.cost.kind = "Copy";
  const std::vector<Phase> phases{phaseOfCopy(graph_, leaf.src, leaf.dst)};
  std::optional<Joining> joining;
  if (const auto place = copies_.placeOf(leaf); place.group) {
    begin(place);
    const auto before = joinedCycles_;
    join(phases[0]);
    const auto& all = joinedCycles_;
    joining.emplace(Joining{{all.compute - before.compute, all.exchange - before.exchange,
                             all.sync - before.sync, all.interIPU - before.interIPU},
                            *joined_});
    ++inGroup_;
  }
  const auto* how = joining ? &*joining : nullptr;
  step.rows.emplace_back(&leaf,
                         rowOf(leaf.name, "Copy", nameOf(Formula::Published), phases, 0, how));
  place("Copy", phases[0], 2);
  charge(phases, step, how);
  step.gathered = {};  // received bytes are written to `dst` directly
}

// Makes joined_ what is in one phase with a copy and stands before it. Copies are mostly asked for in
// their order.
void StepCosts::begin(const JoinedCopies::Place& place) {
  if (joined_ && group_ == place.group && inGroup_ == place.at) return;
  joined_.emplace(spec_);
  joinedCycles_ = {};
  group_ = place.group;
  inGroup_ = place.at;
  for (std::size_t i = 0; i < place.at; ++i)
    join(phaseOfCopy(graph_, (*place.group)[i]->src, (*place.group)[i]->dst));
}

// Adds a copy to joined_, of which only the copy's tiles may take longer than they did. Copies of a
// group take no links between IPUs.
void StepCosts::join(const Phase& copy) {
  const auto tiles = busyTiles(copy);
  joined_->addOn(tiles, copy);
  auto& cycles = joinedCycles_;
  for (const auto t : tiles) {
    cycles.compute = std::max(cycles.compute, joined_->compute[t]);
    cycles.exchange = std::max(cycles.exchange, joined_->traffic.cyclesOn(spec_, t));
  }
  // A sync and a call are there once, as soon as any copy exchanges, or moves on a tile.
  cycles.sync = (cycles.exchange > 0 ? spec_.beforeExchange() : 0) +
                (cycles.compute > 0 ? joined_->calls * spec_.callCycles : 0);
}

StepCosts::PhaseCycles StepCosts::cyclesOf(const Phase& phase) {
  return {phase.computeCycles(), exchangeCycles(spec_, phase), syncCycles(phase),
          phase.traffic.links().cycles(spec_)};
}

void StepCosts::stream(const poplar::Tensor& t, bool toDevice, bool onHost, StepAlone& step) {
  step.cost.kind = "StreamCopy";
  step.gatewayBytes = bytesAtGateways(graph_, t);
  if (onHost) return;
  const auto phase = phaseOfStream(graph_, t, toDevice);
  step.hostBuffers = TileBytes(phase.temporary);
  if (phase.traffic.bytes() > 0) charge({phase}, step);
  step.gathered = {};
}

// Vertices of one compute set run in the same phases: phase i of the set has phase i of each
// vertex, one after another on each tile. Phases with different numbers of repetitions stay
// separate.
void StepCosts::execute(const ProgramNode& leaf, StepAlone& step) {
  const auto& set = graph_.computeSets[leaf.computeSet.getId()];
  step.cost.kind = "Execute";
  if (!set.name.empty()) step.cost.name = set.name;
  std::vector<Phase> together;
  for (const auto& vertex : set.bulk) {
    const auto work = workOf(vertex);
    auto phases = phasesOf(graph_, vertex, work);
    if (!findVertexClass(work.vertexClass) && !phases.empty())
      phases.front().unknown.insert(work.vertexClass);
    const auto vertexClass = vertexClassOf(graph_, vertex, work);
    step.rows.emplace_back(&vertex, rowOf(vertex.name.empty() ? leaf.name : vertex.name,
                                          vertexClass, sourceOf(work), phases, work.flops));
    for (std::size_t i = 0; i < phases.size(); ++i) {
      place(vertexClass, phases[i], vertex.operands.size());
      if (i < together.size() && together[i].times == phases[i].times)
        together[i].add(phases[i]);
      else
        together.push_back(phases[i]);
    }
  }
  executeCodelets(leaf.computeSet.getId(), together, step);
  if (step.rows.size() == 1) step.cost.name = step.rows[0].second.name;
  charge(together, step);
}

// Adds the codelet vertices of a compute set. They run in the same phase, and are one operation of
// the report together: there may be thousands of them.
void StepCosts::executeCodelets(unsigned computeSet, std::vector<Phase>& together,
                                StepAlone& step) {
  const auto& set = graph_.computeSets[computeSet];
  if (set.vertices.empty()) return;
  std::uint64_t flops = 0;
  std::set<std::string> types;
  std::set<VertexCost::Source> sources;
  for (const auto id : set.vertices) {
    const auto& vertex = graph_.vertices[id];
    const auto& name = vertex.codelet->name;
    const auto own = costOf(graph_, id, counts_);
    flops += own.flops;
    auto& tiles = classes_[name];
    tiles.resize(spec_.numTiles());
    ++tiles[*vertex.tile];
    types.insert(name);
    sources.insert(own.source);
    std::uint64_t state = spec_.vertexStateBytes;
    for (const auto& field : vertex.fields)
      state += field.tensors.size() * spec_.edgeStateBytes + field.values.size();
    vertexState_[*vertex.tile] += state;
    allState_ += state;
    if (own.source == VertexCost::Source::Counted) counted.insert(name);
  }
  std::string source;
  for (const auto s : sources) source += (source.empty() ? "" : ", ") + std::string(nameOf(s));
  const auto phase = phaseOfCodelets(graph_, computeSet, counts_);
  step.rows.emplace_back(
      &set, rowOf(step.cost.name, types.size() == 1 ? *types.begin() : "codelets", source, {phase},
                  flops));
  if (together.empty()) together.emplace_back(spec_);
  together.front().add(phase);
}

OperationCost StepCosts::rowOf(const std::string& name, const std::string& vertexClass,
                               const std::string& source, const std::vector<Phase>& phases,
                               std::uint64_t flops, const Joining* joining) {
  OperationCost row;
  row.name = name;
  row.vertexClass = vertexClass;
  row.source = source;
  row.times = 1;
  row.flops = flops;
  for (const auto& phase : phases) {
    const auto cycles = joining ? joining->cycles : cyclesOf(phase);
    row.computeCycles += phase.times * cycles.compute;
    row.exchangeCycles += phase.times * cycles.exchange;
    row.syncCycles += phase.times * cycles.sync;
    row.exchangeBytes += phase.times * phase.traffic.bytes();
  }
  return row;
}

void StepCosts::charge(const std::vector<Phase>& phases, StepAlone& step, const Joining* joining) {
  auto& cost = step.cost;
  const auto tiles = spec_.numTiles();
  OfTiles gathered(phases.size(), tiles), interleaved(phases.size(), tiles);
  OfTiles computeCycles(phases.size(), tiles), received(phases.size(), tiles);
  std::vector<bool> ipus(spec_.numIPUs);
  PerTile ofIpus(spec_.numIPUs);  // compute cycles
  double compute = 0;
  for (const auto& phase : phases) {
    step.unknown.insert(phase.unknown.begin(), phase.unknown.end());
    const auto cycles = joining ? joining->cycles : cyclesOf(phase);
    cost.computeCycles += phase.times * cycles.compute;
    cost.exchangeCycles += phase.times * cycles.exchange;
    cost.syncCycles += phase.times * cycles.sync;
    cost.interIPUCycles += phase.times * cycles.interIPU;
    cost.interIPUBytes += phase.times * phase.traffic.links().bytes();
    cost.exchangeBytes += phase.times * phase.traffic.bytes();
    PerTile slowest(spec_.numIPUs);
    double ofTiles = 0;
    for (const auto t : busyTiles(phase)) {
      const auto ipu = t / spec_.tilesPerIPU;
      slowest[ipu] = std::max(slowest[ipu], phase.compute[t]);
      ofTiles += static_cast<double>(phase.compute[t]);
      computeCycles.add(t, phase.times * phase.compute[t]);
      received.add(t, phase.times * phase.traffic.received()[t]);
      const auto code = exchangeCodeOf(spec_, phase, joining ? &joining->both : nullptr, t);
      exchangeCode_[t] += code;
      cost.exchangeCodeBytes += code;
      ipus[ipu] = true;
      gathered.raise(
          t, phase.traffic.received()[t] + (phase.temporary.empty() ? 0 : phase.temporary[t]));
      if (!phase.interleaved.empty()) interleaved.raise(t, phase.interleaved[t]);
    }
    compute += static_cast<double>(phase.times) * ofTiles;
    for (unsigned i = 0; i < ofIpus.size(); ++i) ofIpus[i] += phase.times * slowest[i];
  }
  cost.meanComputeCycles = compute / tiles;
  for (unsigned i = 0; i < ipus.size(); ++i) {
    if (!ipus[i]) continue;
    cost.ipus.push_back(i);
    cost.ipuComputeCycles.push_back(ofIpus[i]);
  }
  step.gathered = gathered.take();
  step.interleaved = interleaved.take();
  step.computeCycles = computeCycles.take();
  step.received = received.take();
}

// Adds the code and the state of a vertex to each tile that computes a part of it. `edges` is the
// number of operands.
void StepCosts::place(const std::string& vertexClass, const Phase& phase, std::size_t edges) {
  auto& tiles = classes_[vertexClass];
  tiles.resize(spec_.numTiles());
  const auto state = spec_.vertexStateBytes + edges * spec_.edgeStateBytes;
  for (unsigned t = 0; t < spec_.numTiles(); ++t) {
    if (phase.compute[t] > 0) {
      ++tiles[t];
      vertexState_[t] += state;
      allState_ += state;
    }
  }
}

std::uint64_t StepCosts::codeOf(const std::string& vertexClass) const {
  const auto* known = findVertexClass(vertexClass);
  if (spec_.contractionCodeBytes > 0 && known && known->isDescribedBy<ContractionWork>())
    return spec_.contractionCodeBytes;
  return assembledBytes(vertexClass).value_or(spec_.vertexCodeBytes);
}

PerTile StepCosts::vertexCode() const {
  PerTile bytes(spec_.numTiles());
  for (const auto& [name, tiles] : classes_) {
    const auto code = codeOf(name);
    for (unsigned t = 0; t < tiles.size(); ++t)
      if (tiles[t] > 0) bytes[t] += code;
  }
  return bytes;
}

}  // namespace popir
