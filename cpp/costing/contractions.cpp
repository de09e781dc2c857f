// The cost of contractions on the tiles of their plans, with the exchange of their operands.
#include <algorithm>
#include <optional>

#include "costing/contractions.hpp"
#include "costing/mapped_tensor.hpp"
#include "costing/planned.hpp"
#include "machine/estimators/formulas.hpp"
#include "poplar/planned_layout.hpp"
#include "poplar/virtual_tiles.hpp"

namespace popir {
namespace {

// One contraction vertex with its plan. The plan uses `used_` tiles from tile `first_` on.
class Planned {
 public:
  Planned(const GraphImpl& graph, const BulkVertex& vertex, const VertexClass& kind,
          const ContractionWork& whole)
      : graph_(graph),
        spec_(graph.target.spec()),
        vertex_(vertex),
        place_(placeOf(graph, vertex)),
        plan_(graph.plans->of(kind, whole, place_.tiles)) {
    first_ = place_.first;
    used_ = static_cast<unsigned>(plan_.tiles());
    if (used_ == 1) first_ = fullestTile();
  }

  std::vector<Phase> phases() const {
    const bool once = plan_.rowsOnce;
    std::vector<Phase> found;
    const auto copy = [&](const Rearrangement& what) {
      if (what.bytes == 0) return;
      found.emplace_back(spec_);
      rearrange(found.back(), what);
    };
    copy(plan_.beforeSlice);
    transpose(found);
    if (once) {
      copy(plan_.rows);
      if (plan_.rows.bytes > 0) addCodeToRearrange(found.back(), Axis::Column);
      found.emplace_back(spec_);
      fetchOperands(found.back(), Axis::Column);
    }
    const auto steps = found.size();
    const auto again = once ? Rearrangement{} : plan_.rows;
    if (again.bytes + plan_.columns.bytes > 0) {
      found.emplace_back(spec_);
      rearrange(found.back(), again);
      rearrange(found.back(), plan_.columns);
      if (again.bytes > 0) addCodeToRearrange(found.back(), Axis::Column);
      if (plan_.columns.bytes > 0) addCodeToRearrange(found.back(), Axis::Row);
    }
    Phase main(spec_);
    main.temporary.resize(spec_.numTiles());
    main.interleaved.resize(spec_.numTiles());
    for (unsigned t = first_; t < first_ + used_; ++t) {
      main.interleaved[t] = plan_.interleavedBytes;
      main.compute[t] = plan_.vertexCycles + plan_.paddingCycles;
      main.temporary[t] = plan_.partialBytes + beforeLoop() + copied(again, Axis::Column, once) +
                          copied(plan_.columns, Axis::Row, false);
    }
    if (!once) fetchOperands(main, Axis::Column);
    fetchOperands(main, Axis::Row);
    found.push_back(std::move(main));
    if (plan_.serial() > 1) {
      found.emplace_back(spec_);
      found.back().calls = 2;
      for (unsigned t = place_.first; t < place_.first + place_.tiles; ++t)
        found.back().compute[t] = plan_.sliceCycles;
    }
    reduce(found);
    const bool adds = plan_.serialInner > 1;
    if (!adds) copy(plan_.result);
    for (auto i = steps; i < found.size(); ++i) found[i].times = plan_.serial();
    if (plan_.conversionCycles > 0) {
      found.emplace_back(spec_);
      for (unsigned t = first_; t < first_ + used_; ++t)
        found.back().compute[t] = plan_.conversionCycles;
    }
    if (adds) copy(plan_.result);
    addMove(found, graph_, layoutOf(plan_, plan_.shape.result, first_), tensor(plan_.shape.result));
    return found;
  }

 private:
  const poplar::Tensor& tensor(std::size_t operand) const {
    return vertex_.operands[operand].tensor;
  }

  unsigned fullestTile() const {
    const auto held = MappedTensor(graph_, writtenOf(vertex_)).byTile();
    return static_cast<unsigned>(std::max_element(held.begin(), held.end()) - held.begin());
  }

  // Adds the traffic of the operand that lacks an axis: Column, the one that has rows; Row, the one
  // that has columns.
  void fetchOperands(Phase& phase, Axis lacks) const {
    forOperands(lacks, [&](std::size_t o) { fetch(phase, o); });
  }

  template <class Visit>
  void forOperands(Axis lacks, const Visit& visit) const {
    for (std::size_t o = 0; o < plan_.shape.operands.size(); ++o)
      if (o != plan_.shape.result && (plan_.shape.lacks(o) == Axis::Row) == (lacks == Axis::Row))
        visit(o);
  }

  Dims shapeOf(std::size_t operand) const {
    Dims shape;
    for (const auto& d : plan_.shape.operands[operand]) shape.push_back(d.size);
    return shape;
  }

  // Where an operand lies that is rearranged: PopLibs copies it to the plan's own layout, and gives that
  // copy to all tiles that need it, which takes less exchange code than to rearrange it on each of them.
  // Nothing if it is not rearranged, or if its copy has elements several times or is made in steps.
  std::optional<Grid> rearranged(std::size_t operand) const {
    const auto& what = plan_.shape.lacks(operand) == Axis::Row ? plan_.columns : plan_.rows;
    if (what.bytes == 0 || plan_.serial() > 1) return std::nullopt;
    for (const auto& d : plan_.shape.operands[operand])
      if (plan_.expands(d)) return std::nullopt;
    return layoutOf(plan_, operand, first_);
  }

  // Adds the exchange code of the copies of rearranged operands. What these move is charged already.
  void addCodeToRearrange(Phase& phase, Axis lacks) const {
    forOperands(lacks, [&](std::size_t o) {
      const auto there = rearranged(o);
      if (!there) return;
      Phase moved(spec_);
      addTraffic(moved, graph_, tensor(o), BoxNeeds(*there), shapeOf(o), there->first, 1);
      for (unsigned t = 0; t < spec_.numTiles(); ++t)
        phase.traffic.addReceiveCode(t, moved.traffic.code(t));
    });
  }

  // Adds the phase in which each tile transposes the weights that it has, for a backward pass, in the
  // blocks that its vertex takes.
  void transpose(std::vector<Phase>& found) const {
    const auto& part = plan_.part;
    if (!isLayerPass(part) || part.layer != ContractionWork::Layer::Backward || part.preArranged)
      return;
    const auto* kind = findVertexClass("popops::Transpose");
    const auto elements = plan_.rowBytes / part.type.sizeInBytes() / plan_.columnSplit;
    const auto inner = plan_.grains.inner, columns = std::min(inner, plan_.grains.columns);
    const TransposeWork blocks{part.type, ceilDiv(elements, inner * columns), inner, columns};
    found.emplace_back(spec_);
    for (unsigned t = first_; t < first_ + used_; ++t)
      found.back().compute[t] = kind->cycles(spec_, blocks);
  }

  // Bytes that a tile has in all serial steps, beside operands and partial sums.
  std::uint64_t beforeLoop() const {
    return plan_.beforeSlice.bytes + plan_.accumulatedBytes + (plan_.rowsOnce ? plan_.rowBytes : 0);
  }
  // Bytes on a tile of the copy that the operand that lacks an axis comes from: its rearrangement, or
  // else the slice of a serial step.
  std::uint64_t copied(const Rearrangement& what, Axis lacks, bool isThere) const {
    const auto steps = lacks == Axis::Column ? plan_.serialInner : plan_.serial();
    if (what.bytes > 0 || isThere || steps == 1) return what.bytes;
    std::uint64_t bytes = 0;
    for (std::size_t o = 0; o < plan_.shape.operands.size(); ++o)
      if (o != plan_.shape.result && (plan_.shape.lacks(o) == Axis::Row) == (lacks == Axis::Row))
        bytes +=
            ceilDiv(tensor(o).numElements() * tensor(o).elementType().sizeInBytes(), used_ * steps);
    return bytes;
  }

  void rearrange(Phase& phase, const Rearrangement& what) const {
    phase.temporary.resize(spec_.numTiles());
    for (unsigned t = first_; t < first_ + used_; ++t) {
      phase.temporary[t] += what.bytes;
      phase.compute[t] += what.copyCycles;
      phase.traffic.receive(t, what.received);
      phase.traffic.send(t, what.received);
    }
  }

  // Adds the traffic that moves an operand from its tile mapping to the plan's tiles.
  void fetch(Phase& phase, std::size_t operand) const {
    const BoxNeeds needs(plan_, operand);
    const auto shape = shapeOf(operand);
    const bool shared = plan_.shape.lacks(operand) != Axis::Row && plan_.sharesRows;
    const auto together = shared ? spec_.tilesPerSharedExchangeBus : 1;
    if (const auto copy = rearranged(operand)) {
      const MappedTensor from(graph_, *copy, tensor(operand).elementType().sizeInBytes());
      if (from.addTraffic(phase.traffic, needs, shape, first_, together)) return;
    }
    addTraffic(phase, graph_, tensor(operand), needs, shape, first_, together);
  }

  // The phases that add up partial sums. Groups of partialSums() tiles have partial sums of the same
  // part of the result. In each stage some of these tiles add up a share each: they receive the
  // partial sums of their share from the others, and send these the rest of their own.
  void reduce(std::vector<Phase>& found) const {
    for (const auto& stage : plan_.stages) {
      found.emplace_back(spec_);
      auto& phase = found.back();
      phase.temporary.resize(spec_.numTiles());
      if (plan_.interleavedSums > 0) phase.interleaved.resize(spec_.numTiles());
      for (unsigned t = first_; t < first_ + used_; ++t) {
        phase.compute[t] = stage.cycles;
        phase.temporary[t] =
            beforeLoop() + (&stage == &plan_.stages.front() ? plan_.partialBytes : 0);
        if (plan_.interleavedSums > 0) phase.interleaved[t] = plan_.interleavedSums;
        if (stage.received == 0) continue;
        phase.traffic.receive(t, stage.received);
        phase.traffic.send(t, stage.received);
        // Each of the others sends a message, and gets one.
        const auto others = stage.together - 1;
        phase.traffic.addMessages(t, others, stage.received / others);
        phase.traffic.addSendCode(t, phase.traffic.sendCode(others, stage.received));
      }
      if (spec_.numIPUs > 1 && &stage == &plan_.stages.front() && stage.received > 0)
        sumOverIPUs(phase,
                    ceilDiv(plan_.part.results(), plan_.partialSums()) * plan_.part.partialBytes());
    }
  }

  // Adds the link traffic of reduce(), for groups with tiles on several IPUs. Tiles of a group are
  // `apart` tiles apart.
  void sumOverIPUs(Phase& phase, std::uint64_t shareBytes) const {
    const auto apart = plan_.stride(Axis::Tap);
    const auto along = static_cast<unsigned>(plan_.partialSums());
    for (unsigned t = 0; t < used_; ++t) {
      const auto base = t - t / apart % along * apart;
      for (unsigned k = 0; k < along; ++k)
        phase.traffic.linkTiles(first_ + base + k * apart, first_ + t, shareBytes);
    }
  }

  const GraphImpl& graph_;
  const TargetSpec& spec_;
  const BulkVertex& vertex_;
  const Place place_;
  const ContractionPlan& plan_;
  unsigned first_ = 0, used_ = 1;
};

}  // namespace

bool isContraction(const BulkVertex& vertex, const VertexClass* kind) {
  if (!kind || !kind->isDescribedBy<ContractionWork>() || vertex.operands.size() < 3) return false;
  for (const auto& o : vertex.operands)
    if (o.tensor.numElements() == 0) return false;
  return true;
}

bool contracts(const GraphImpl& graph) {
  const auto one = [](const BulkVertex& vertex) {
    return isContraction(vertex, findVertexClass(workOf(vertex).vertexClass));
  };
  return std::any_of(graph.computeSets.begin(), graph.computeSets.end(), [&](const auto& set) {
    return std::any_of(set.bulk.begin(), set.bulk.end(), one);
  });
}

const ContractionPlan& planOf(const GraphImpl& graph, const BulkVertex& vertex,
                              const VertexClass& kind, const ContractionWork& whole) {
  return graph.plans->of(kind, whole, placeOf(graph, vertex).tiles);
}

std::vector<Phase> phasesOfContraction(const GraphImpl& graph, const BulkVertex& vertex,
                                       const VertexClass& kind, const ContractionWork& whole) {
  return Planned(graph, vertex, kind, whole).phases();
}

}  // namespace popir
