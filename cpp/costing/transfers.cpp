#include "costing/transfers.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_map>

#include "costing/mapped_tensor.hpp"
#include "machine/transfer.hpp"
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
    if (findBeside()) {
      for (std::size_t s = 0; s < report_.steps.size(); s = endOf(s)) {
        // From the second time on a loop finds what the time before has left.
        const auto times = report_.steps[s].times;
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(times, 2); ++i) {
          counted_ = static_cast<double>(i == 0 ? 1 : times - 1);
          pass(s, endOf(s));
        }
      }
      counted_ = 1;
      for (auto& link : links_) finish(link, link.size());
      double waited = 0;
      for (const auto& step : report_.steps) waited += step.waitSeconds;
      report_.overlapSeconds =
          std::max(0.0, report_.hostSeconds + report_.streamingSeconds - waited);
    } else {
      for (auto& step : report_.steps)
        step.waitSeconds = static_cast<double>(step.times) * step.transferSeconds;
    }
    place();
  }

 private:
  struct Pending {
    std::size_t step;
    double seconds;  // what is left
    const std::set<unsigned>* variables;
  };
  using Link = std::deque<Pending>;

  bool transfers(std::size_t s) const { return secondsOf(s) > 0; }
  double secondsOf(std::size_t s) const { return report_.steps[s].transferSeconds; }
  // The end of the steps from s on that are executed as often: those of a loop, for one.
  std::size_t endOf(std::size_t s) const {
    auto end = s + 1;
    while (end < report_.steps.size() && report_.steps[end].times == report_.steps[s].times) ++end;
    return end;
  }
  bool isRemote(std::size_t s) const {
    return report_.steps[s].streamingBytesIn + report_.steps[s].streamingBytesOut > 0;
  }

  void count() {
    TransferClock clock(spec_);
    const StepCost* before = nullptr;
    for (std::size_t s = 0; s < report_.steps.size(); ++s) {
      auto& step = report_.steps[s];
      const bool isTransfer = step.hostBytesIn + step.hostBytesOut > 0 || isRemote(s);
      if (isTransfer) {
        step.transferSeconds =
            clock.add(costs_.of(*leaves_[s].node), before && before->times == step.times);
        if (clock.begun()) report_.transfers.push_back({});
        report_.transfers.back() = clock.transfer();
        report_.transfers.back().times = step.times;
        if (clock.begun() && clock.transfer().withHost) report_.hostTransfers += step.times;
        (isRemote(s) ? report_.streamingSeconds : report_.hostSeconds) +=
            static_cast<double>(step.times) * step.transferSeconds;
      }
      before = isTransfer ? &step : nullptr;
    }
  }

  // Which steps transfer tensors of IO tiles alone. \returns whether any does.
  bool findBeside() {
    beside_.resize(report_.steps.size());
    PerTile busy(spec_.numTiles());
    for (std::size_t s = 0; s < beside_.size(); ++s)
      if (report_.steps[s].kind == "Execute")
        costs_.of(*leaves_[s].node).computeCycles.addTo(busy, report_.steps[s].times);
    if (std::none_of(busy.begin(), busy.end(), [](auto cycles) { return cycles > 0; }))
      return false;
    for (std::size_t s = 0; s < beside_.size(); ++s)
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

  // Waits for the first `count` transfers of a link.
  void finish(Link& link, std::size_t count) {
    double seconds = 0;
    for (std::size_t i = 0; i < count; ++i) {
      report_.steps[link[i].step].waitSeconds += counted_ * link[i].seconds;
      seconds += link[i].seconds;
    }
    // Exactly these, whatever the rounding of sums.
    link.erase(link.begin(), link.begin() + static_cast<std::ptrdiff_t>(count));
    Link rest;
    rest.swap(link);
    progress(seconds);
    link.swap(rest);
  }

  // Steps [begin, end) once.
  void pass(std::size_t begin, std::size_t end) {
    for (auto s = begin; s < end; ++s) {
      const auto& node = *leaves_[s].node;
      const auto& used = variablesOf(node);
      for (auto& link : links_) {
        std::size_t needed = 0;
        for (std::size_t i = 0; i < link.size(); ++i)
          if (std::any_of(used.begin(), used.end(),
                          [&](unsigned v) { return link[i].variables->count(v) > 0; }))
            needed = i + 1;
        finish(link, needed);
      }
      // What a stream spreads over tiles is in its cycles.
      progress(static_cast<double>(report_.steps[s].cycles()) / spec_.tileClockFrequency);
      if (!transfers(s)) continue;
      auto& link = links_[isRemote(s) ? 1 : 0];
      if (beside_[s]) {
        link.push_back({s, secondsOf(s), &used});
        continue;
      }
      finish(link, link.size());
      progress(secondsOf(s));
      report_.steps[s].waitSeconds += counted_ * secondsOf(s);
    }
  }

  // Sets when transfers begin. In a loop those beside compute follow one another from its beginning:
  // the first executions of a step that is late there are beside the first ones of all others.
  void place() {
    double now = 0, begun = 0;
    double free[2] = {0, 0};  // when the links are
    for (std::size_t s = 0, end = 0; s < report_.steps.size(); ++s) {
      auto& step = report_.steps[s];
      if (s == end) {
        end = endOf(s);
        begun = now;
      }
      const auto times = static_cast<double>(step.times);
      now += times * static_cast<double>(step.cycles()) / spec_.tileClockFrequency;
      if (transfers(s)) {
        const bool overlaps = step.waitSeconds < times * step.transferSeconds;
        auto& link = free[isRemote(s) ? 1 : 0];
        step.transferBegin = std::max(link, overlaps && times > 1 ? begun : now);
        link = step.transferBegin + times * step.transferSeconds;
      }
      now += step.waitSeconds;
    }
  }

  const GraphImpl& graph_;
  StepCosts& costs_;
  const std::vector<Leaf>& leaves_;
  MachineReport& report_;
  const TargetSpec& spec_;
  std::vector<bool> beside_;  // by step: whether others may go on beside its transfer
  double counted_ = 1;        // how many times stand for the one that is looked at
  std::unordered_map<const ProgramNode*, std::set<unsigned>> variables_;
  Link links_[2];  // the host's, streaming memory's: what is under way, in order
};

}  // namespace

double TransferClock::add(const StepAlone& step, bool follows) {
  const auto& cost = step.cost;
  const std::array<bool, 4> ways{cost.hostBytesIn > 0, cost.hostBytesOut > 0,
                                 cost.streamingBytesIn > 0, cost.streamingBytesOut > 0};
  begun_ = !follows || ways != ways_;
  if (begun_) {
    ways_ = ways;
    gateways_.assign(spec_.numGateways(), 0);
    transfer_ = {ways[0] || ways[1], 0, 0, 0};
  }
  const auto before = begun_ ? 0 : secondsOfTransfer(spec_, transfer_);
  for (std::size_t g = 0; g < gateways_.size(); ++g) {
    gateways_[g] += step.gatewayBytes[g];
    transfer_.bytes += step.gatewayBytes[g];
  }
  transfer_.gatewayBytes = *std::max_element(gateways_.begin(), gateways_.end());
  return secondsOfTransfer(spec_, transfer_) - before;
}

void addTransfers(const GraphImpl& graph, StepCosts& costs, const std::vector<Leaf>& leaves,
                  MachineReport& report) {
  Timeline(graph, costs, leaves, report).add();
}

}  // namespace popir
