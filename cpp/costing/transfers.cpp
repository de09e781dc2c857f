#include "costing/transfers.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_map>

#include "costing/mapped_tensor.hpp"
#include "poplar/remote_buffer.hpp"

namespace popir {
namespace {

// What a leaf reads and writes.
std::vector<poplar::Tensor> tensorsOf(const GraphImpl& graph, const ProgramNode& leaf) {
  std::vector<poplar::Tensor> all = leaf.inputs;
  all.insert(all.end(), leaf.outputs.begin(), leaf.outputs.end());
  if (leaf.kind == ProgramNode::Kind::Execute) {
    const auto& set = graph.computeSets[leaf.computeSet.getId()];
    for (const auto& vertex : set.bulk)
      for (const auto& operand : vertex.operands) all.push_back(operand.tensor);
    for (const auto v : set.vertices)
      for (const auto& field : graph.vertices[v].fields)
        all.insert(all.end(), field.tensors.begin(), field.tensors.end());
    return all;
  }
  for (const auto* t : {&leaf.src, &leaf.dst})
    if (t->valid()) all.push_back(*t);
  return all;
}

class Timeline {
 public:
  Timeline(const GraphImpl& graph, StepCosts& costs, const std::vector<Leaf>& leaves,
           MachineReport& report)
      : graph_(graph),
        costs_(costs),
        leaves_(leaves),
        report_(report),
        spec_(graph.target.spec()) {}

  void add() {
    count();
    report_.overlapSeconds = 0;
    if (!findBeside()) return;
    double waited = 0;
    for (std::size_t s = 0; s < report_.steps.size();) {
      const auto times = report_.steps[s].times;
      auto end = s + 1;
      while (end < report_.steps.size() && report_.steps[end].times == times) ++end;
      // From the second time on a loop finds what the time before has left.
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(times, 2); ++i)
        waited += static_cast<double>(i == 0 ? 1 : times - 1) * pass(s, end);
      s = end;
    }
    for (auto& link : links_) waited += finish(link, link.size());
    report_.overlapSeconds = std::max(0.0, report_.hostSeconds + report_.streamingSeconds - waited);
  }

 private:
  struct Pending {
    double seconds;
    const std::set<unsigned>* variables;
  };
  using Link = std::deque<Pending>;

  bool transfers(std::size_t s) const { return seconds_[s] > 0; }
  bool isRemote(std::size_t s) const {
    return report_.steps[s].streamingBytesIn + report_.steps[s].streamingBytesOut > 0;
  }

  // Streams with the host that follow one another in one direction are one transfer.
  void count() {
    seconds_.resize(report_.steps.size());
    const StepCost* before = nullptr;
    for (std::size_t s = 0; s < seconds_.size(); ++s) {
      const auto& step = report_.steps[s];
      const auto bytes = step.hostBytesIn + step.hostBytesOut;
      const auto remote = step.streamingBytesIn + step.streamingBytesOut;
      seconds_[s] = static_cast<double>(bytes) / spec_.hostBytesPerSecond;
      const bool goesOn = before && before->times == step.times &&
                          (before->hostBytesIn > 0) == (step.hostBytesIn > 0) &&
                          (before->hostBytesOut > 0) == (step.hostBytesOut > 0);
      if (bytes > 0 && !goesOn) {
        seconds_[s] += spec_.hostLatencySeconds;
        report_.hostTransfers += step.times;
      }
      before = bytes > 0 ? &step : nullptr;
      report_.hostSeconds += static_cast<double>(step.times) * seconds_[s];
      const auto streaming = static_cast<double>(remote) / streamingRate(spec_);
      report_.streamingSeconds += static_cast<double>(step.times) * streaming;
      seconds_[s] += streaming;
    }
  }

  // Which steps transfer tensors of IO tiles alone. \returns whether any does.
  bool findBeside() {
    beside_.resize(seconds_.size());
    PerTile busy(spec_.numTiles());
    for (std::size_t s = 0; s < seconds_.size(); ++s)
      if (report_.steps[s].kind == "Execute")
        costs_.of(*leaves_[s].node).computeCycles.addTo(busy, report_.steps[s].times);
    if (std::none_of(busy.begin(), busy.end(), [](auto cycles) { return cycles > 0; }))
      return false;
    for (std::size_t s = 0; s < seconds_.size(); ++s)
      beside_[s] = transfers(s) && report_.steps[s].times > 0 && isOnIdle(*leaves_[s].node, busy);
    return std::find(beside_.begin(), beside_.end(), true) != beside_.end();
  }

  // Of a copy from or to a remote buffer the numbers of rows may lie anywhere.
  bool isOnIdle(const ProgramNode& leaf, const PerTile& busy) const {
    auto tensors = tensorsOf(graph_, leaf);
    if (leaf.kind == ProgramNode::Kind::HostCall) {
      const auto copy = remoteCopyOf(leaf.hostFunction);
      if (!copy) return false;
      tensors = {copy->reads ? leaf.outputs.front() : leaf.inputs.back()};
    }
    for (const auto& t : tensors) {
      const auto held = MappedTensor(graph_, t).byTile();
      for (std::size_t tile = 0; tile < held.size(); ++tile)
        if (held[tile] > 0 && busy[tile] > 0) return false;
    }
    return true;
  }

  const std::set<unsigned>& variablesOf(const ProgramNode& leaf) {
    const auto [at, isNew] = variables_.try_emplace(&leaf);
    if (isNew)
      for (const auto& t : tensorsOf(graph_, leaf)) {
        if (!t.valid()) continue;
        const auto used = t.view().variables();
        at->second.insert(used.begin(), used.end());
      }
    return at->second;
  }

  // Lets both links go on for a time.
  void progress(double seconds) {
    for (auto& link : links_) {
      auto left = seconds;
      while (!link.empty() && left >= link.front().seconds) {
        left -= link.front().seconds;
        link.pop_front();
      }
      if (!link.empty()) link.front().seconds -= left;
    }
  }

  // Waits for the first `count` transfers of a link. \returns the seconds that takes.
  double finish(Link& link, std::size_t count) {
    double seconds = 0;
    for (std::size_t i = 0; i < count; ++i) seconds += link[i].seconds;
    // Exactly these, whatever the rounding of sums.
    link.erase(link.begin(), link.begin() + static_cast<std::ptrdiff_t>(count));
    Link rest;
    rest.swap(link);
    progress(seconds);
    link.swap(rest);
    return seconds;
  }

  // Steps [begin, end) once. \returns the seconds that they wait for transfers.
  double pass(std::size_t begin, std::size_t end) {
    double waited = 0;
    for (auto s = begin; s < end; ++s) {
      const auto& node = *leaves_[s].node;
      const auto& used = variablesOf(node);
      for (auto& link : links_) {
        std::size_t needed = 0;
        for (std::size_t i = 0; i < link.size(); ++i)
          if (std::any_of(used.begin(), used.end(),
                          [&](unsigned v) { return link[i].variables->count(v) > 0; }))
            needed = i + 1;
        waited += finish(link, needed);
      }
      // What a stream spreads over tiles is in its cycles.
      progress(static_cast<double>(report_.steps[s].cycles()) / spec_.tileClockFrequency);
      if (!transfers(s)) continue;
      auto& link = links_[isRemote(s) ? 1 : 0];
      if (beside_[s]) {
        link.push_back({seconds_[s], &used});
        continue;
      }
      waited += finish(link, link.size());
      progress(seconds_[s]);
      waited += seconds_[s];
    }
    return waited;
  }

  const GraphImpl& graph_;
  StepCosts& costs_;
  const std::vector<Leaf>& leaves_;
  MachineReport& report_;
  const TargetSpec& spec_;
  std::vector<double> seconds_;  // by step: of its transfer
  std::vector<bool> beside_;     // by step: whether others may go on beside its transfer
  std::unordered_map<const ProgramNode*, std::set<unsigned>> variables_;
  Link links_[2];  // the host's, streaming memory's: what is under way, in order
};

}  // namespace

double streamingRate(const TargetSpec& spec) {
  const auto gateways = (spec.numIPUs + spec.ipusPerGateway - 1) / spec.ipusPerGateway;
  return spec.streamingBytesPerSecond * gateways;
}

void addTransfers(const GraphImpl& graph, StepCosts& costs, const std::vector<Leaf>& leaves,
                  MachineReport& report) {
  Timeline(graph, costs, leaves, report).add();
}

}  // namespace popir
