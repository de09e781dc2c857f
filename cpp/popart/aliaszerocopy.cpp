// Which copies into and out of called graphs are not needed.
#include <popart/aliasesmap.hpp>
#include <popart/aliaszerocopy.hpp>
#include <popart/error.hpp>
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/logging.hpp>
#include <popart/op/loop.hpp>
#include <popart/tensor.hpp>

#include <algorithm>
#include <sstream>
#include <typeinfo>

namespace popart {
namespace liveness {

// ---- Intervals ----

void Intervals::insert(int64_t s, int64_t e) {
  if (s >= e) return;
  // The first that could touch it: the one before `s`, if that reaches so far.
  auto at = ends_.upper_bound(s);
  if (at != ends_.begin() && std::prev(at)->second >= s) --at;
  while (at != ends_.end() && at->first <= e) {
    s = std::min(s, at->first);
    e = std::max(e, at->second);
    at = ends_.erase(at);
  }
  ends_[s] = e;
}

Intervals Intervals::operator&(const Intervals& other) const {
  Intervals both;
  for (const auto& [s, e] : ends_)
    for (const auto& [t, f] : other.ends_) both.insert(std::max(s, t), std::min(e, f));
  return both;
}

Intervals& Intervals::operator+=(const Intervals& other) {
  for (const auto& [s, e] : other.ends_) insert(s, e);
  return *this;
}

std::ostream& operator<<(std::ostream& os, const Intervals& intervals) {
  os << "{";
  for (const auto& [s, e] : intervals.ends_) os << "[" << s << "," << e << ")";
  return os << "}";
}

// ---- What is needed ----

namespace {

/// What a pointer that a program gave to `function` points to. \throws error if it is null
template <class T>
T& given(T* pointer, const char* function, const char* what = "Tensor") {
  if (pointer == nullptr)
    throw error("AliasZeroCopy::{}: the {} is a null pointer", function, what);
  return *pointer;
}

}  // namespace

std::size_t AliasZeroCopy::id() { return typeid(AliasZeroCopy).hash_code(); }

AliasZeroCopy::AliasZeroCopy(const Ir* ir, const LivenessAnalyzer* analyzer)
    : ir_(ir), analyzer_(analyzer) {}

AliasZeroCopy::Node AliasZeroCopy::nodeOf(const LivenessNode& node) {
  return {node.getOp(), node.getStatus(), node.getIndex()};
}

bool AliasZeroCopy::isRequiredAt(int64_t place) const {
  return needed_.count(nodeOf(analyzer_->getOpScheduleAt(place))) != 0;
}

bool AliasZeroCopy::isAlwaysLive(const Tensor& tensor) const {
  const bool isGiven = !tensor.hasProducer() && (tensor.tensorType() == TensorType::Variable ||
                                                 tensor.tensorType() == TensorType::Stream);
  const bool isAnchor = !ir_->getSessionOptions().useHostCopyOps && ir_->isRootAnchor(tensor.id);
  return tensor.tensorType() == TensorType::Const || isGiven || isAnchor ||
         ir_->getMainGraph().hasOutputId(tensor.id);
}

namespace {

/// Whether an operator is run for what it does, and not for its outputs.
bool acts(Op& op) {
  if (op.hasSideEffect() || op.output->n() == 0) return true;
  const std::map<InIndex, TensorId> inputs = op.input->tensorIdMap();
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const auto& in) { return view::nonEmptyRegion(op.modifies(in.first)); });
}

}  // namespace

void AliasZeroCopy::findNeeded() {
  const auto size = static_cast<int64_t>(analyzer_->getOpScheduleSize());
  std::vector<int64_t> stack;
  // An operator or copy has a place in each call and iteration.
  std::map<Node, std::vector<int64_t>> places;
  for (int64_t i = 0; i < size; ++i) {
    const LivenessNode& node = analyzer_->getOpScheduleAt(i);
    places[nodeOf(node)].push_back(i);
    const OpStatus status = node.getStatus();
    bool isKept = status == OpStatus::Enter || status == OpStatus::Exit ||
                  (status == OpStatus::Normal && acts(*node.getOp()));
    for (const TensorId& id : node.usedTensorIds()) {
      Tensor* tensor = ir_->getTensor(id);
      isKept |= node.isProducerOf(tensor) && isAlwaysLive(*tensor);
    }
    if (isKept) mark(i, stack);
  }
  while (!stack.empty()) {
    const int64_t place = stack.back();
    stack.pop_back();
    // Needed in one call or iteration is needed in all.
    for (const int64_t i : places[nodeOf(analyzer_->getOpScheduleAt(place))]) {
      const LivenessNode& node = analyzer_->getOpScheduleAt(i);
      for (const TensorId& id : node.usedTensorIds()) {
        Tensor* tensor = ir_->getTensor(id);
        if (node.isConsumerOf(tensor)) need(tensor, i, stack);
      }
    }
  }
}

void AliasZeroCopy::mark(int64_t place, std::vector<int64_t>& stack) {
  if (needed_.insert(nodeOf(analyzer_->getOpScheduleAt(place))).second) stack.push_back(place);
}

void AliasZeroCopy::need(Tensor* tensor, int64_t place, std::vector<int64_t>& stack) {
  for (Tensor* each : aliased(ofIr_, {tensor}, false)) {
    const std::vector<int64_t>& places = analyzer_->getScheduleIndices(each);
    auto at = std::lower_bound(places.begin(), places.end(), place);
    while (at != places.begin()) {
      const LivenessNode& node = analyzer_->getOpScheduleAt(*--at);
      const bool isProducer = node.isProducerOf(each);
      if (isProducer || node.modifiesTensor(each)) mark(*at, stack);
      if (isProducer) break;
    }
  }
}

bool AliasZeroCopy::nodeRequired(Op* op, OpStatus status, int index) const {
  return needed_.count({op, status, index}) != 0;
}
bool AliasZeroCopy::opRequired(Op* op) const {
  given(op, "opRequired", "Op");
  return nodeRequired(op, op->getCalledGraphs().empty() ? OpStatus::Normal : OpStatus::Enter, 0);
}
bool AliasZeroCopy::copyInputRequired(Op* op, InIndex index) const {
  return nodeRequired(op, OpStatus::CopyInput, index);
}
bool AliasZeroCopy::copyLoopCarriedRequired(Op* op, InIndex index) const {
  return nodeRequired(op, OpStatus::CopyLoopCarried, index);
}
bool AliasZeroCopy::copyModifiedRequired(Op* op, InIndex index) const {
  return nodeRequired(op, OpStatus::CopyModified, index);
}
bool AliasZeroCopy::copyOutputRequired(Op* op, OutIndex index) const {
  return nodeRequired(op, OpStatus::CopyOutput, index);
}

// ---- When tensors are live ----

Intervals AliasZeroCopy::getLivenessIntervals(Tensor* tensor, ProducerInterval producerInterval) {
  Intervals live;
  given(analyzer_, "getLivenessIntervals", "LivenessAnalyzer");
  if (isAlwaysLive(given(tensor, "getLivenessIntervals"))) {
    live.insert(0, static_cast<int64_t>(analyzer_->getOpScheduleSize()));
    return live;
  }
  // Its value lives from the place that writes it anew to the last one that reads it; one that
  // nothing writes, from the begin.
  int64_t begin = 0;
  for (const int64_t place : analyzer_->getScheduleIndices(tensor)) {
    if (!isRequiredAt(place)) continue;
    const LivenessNode& node = analyzer_->getOpScheduleAt(place);
    const bool isProducer = node.isProducerOf(tensor);
    if (node.isConsumerOf(tensor) && !node.overwritesTensor(tensor)) live.insert(begin, place);
    if (producerInterval == Enforce && (isProducer || node.modifiesTensor(tensor)))
      live.insert(place, place + 1);
    if (isProducer || node.overwritesTensor(tensor)) begin = place;
  }
  return live;
}

Intervals AliasZeroCopy::getCandidateLivenessIntervals(Tensor* tensor,
                                                       ProducerInterval producerInterval,
                                                       bool forceUpdateCache) {
  given(tensor, "getCandidateLivenessIntervals");
  const std::pair<Tensor*, ProducerInterval> key(tensor, producerInterval);
  const auto found = candidates_.find(key);
  if (found != candidates_.end() && !forceUpdateCache) return found->second;
  Intervals live;
  for (Tensor* each : aliased(proposed_, {tensor}, false))
    live += getLivenessIntervals(each, producerInterval);
  return candidates_[key] = live;
}

void AliasZeroCopy::printLivenessIntervals(TensorSet tensors, ProducerInterval producerInterval) {
  const auto size = static_cast<int64_t>(
      given(analyzer_, "printLivenessIntervals", "LivenessAnalyzer").getOpScheduleSize());
  std::vector<int> counts(static_cast<std::size_t>(size));
  std::ostringstream lines;
  for (Tensor* tensor : tensors) {
    const Intervals live = getCandidateLivenessIntervals(tensor, producerInterval);
    for (int64_t i = 0; i < size; ++i) {
      Intervals place;
      place.insert(i, i + 1);
      const bool isLive = doOverlap(live, place);
      counts[static_cast<std::size_t>(i)] += isLive ? 1 : 0;
      lines << (isLive ? '*' : '_');
    }
    lines << " (" << tensor->id << ")\n";
  }
  std::ostringstream numbers;
  for (const int count : counts) numbers << count << " ";
  logging::devicex::info("Live at each place: {}\n{}", numbers.str(), lines.str());
}

// ---- What may be one ----

AliasZeroCopy::TensorSet AliasZeroCopy::aliased(const Aliases& aliases, const TensorSet& tensors,
                                                bool fully) const {
  const auto isWhole = [&](Tensor* from, Tensor* to) {
    const view::Regions regions = aliases.getAliasRegions(from, to);
    return from->info.nelms() == to->info.nelms() &&
           std::any_of(regions.begin(), regions.end(), [&](const view::Region& region) {
             return region.nelms() == to->info.nelms();
           });
  };
  TensorSet found = tensors;
  for (Tensor* tensor : tensors)
    for (const auto& [other, chains] : aliases.aliasChainsFrom(tensor))
      if (!chains.isEmpty() && (!fully || isWhole(tensor, other))) found.insert(other);
  return found;
}

AliasZeroCopy::TensorSet AliasZeroCopy::getProposedAliasedTensors(TensorSet tensors,
                                                                  bool fullyAliased) const {
  for (Tensor* each : tensors) given(each, "getProposedAliasedTensors");
  return aliased(proposed_, tensors, fullyAliased);
}
AliasZeroCopy::TensorSet AliasZeroCopy::getActiveAliasedTensors(TensorSet tensors,
                                                                bool fullyAliased) const {
  for (Tensor* each : tensors) given(each, "getActiveAliasedTensors");
  return aliased(active_, tensors, fullyAliased);
}

namespace {

/// The two are one in all elements.
void unite(Aliases& aliases, Tensor* ta, Tensor* tb) {
  const view::RegMap same = [](const view::Region& region) { return view::Regions{region}; };
  aliases.updateAliases(ta, tb, {view::Region::getFull(ta->info.shape())}, same, same);
}

}  // namespace

void AliasZeroCopy::activateAlias(Tensor* ta, Tensor* tb) {
  if (given(ta, "activateAlias").info != given(tb, "activateAlias").info)
    throw error("AliasZeroCopy: '{}' is {}, and '{}' is {}; expected are the same type and shape",
                ta->id, ta->info, tb->id, tb->info);
  unite(active_, ta, tb);
}

AliasZeroCopy::TensorSet AliasZeroCopy::getPostIRAliases(Tensor* tensor) const {
  const auto found = postIr_.find(&given(tensor, "getPostIRAliases"));
  return found == postIr_.end() ? TensorSet() : found->second;
}

AliasZeroCopy::TensorSet AliasZeroCopy::getTensorsWithPostIRAliases() const {
  TensorSet found;
  for (const auto& each : postIr_) found.insert(each.first);
  return found;
}

void AliasZeroCopy::removePostIRAliases(Tensor* tensor) {
  given(tensor, "removePostIRAliases");
  for (Tensor* other : getPostIRAliases(tensor)) {
    postIr_[other].erase(tensor);
    if (postIr_[other].empty()) postIr_.erase(other);
  }
  postIr_.erase(tensor);
}

bool AliasZeroCopy::isSameEverywhere(const Graph& graph, Tensor* outside, Tensor* inside) const {
  const TensorSet same = aliased(proposed_, {outside}, true);
  for (Op* caller : graph.getCallSiteOps()) {
    // A loop gives its input another value in each iteration.
    if (dynamic_cast<const LoopOp*>(caller) != nullptr) return false;
    const std::vector<const Graph*> called = caller->getCalledGraphs();
    for (std::size_t g = 0; g < called.size(); ++g) {
      if (called[g]->id != graph.id) continue;
      const auto number = static_cast<SubgraphIndex>(g);
      const InIndex in = caller->subgraphInToOpInIndex(number, graph.getInputIndex(inside->id));
      if (!caller->hasInput(in) || same.count(caller->inTensor(in)) == 0) return false;
    }
  }
  const TensorSet within = aliased(ofIr_, {inside}, false);
  for (const auto& [id, op] : graph.getOps())
    for (const auto& in : op->input->tensorMap())
      if (within.count(in.second) != 0 && view::nonEmptyRegion(op->modifies(in.first)))
        return false;
  return true;
}

void AliasZeroCopy::propose(const Graph& graph, Tensor* outside, Tensor* inside, bool isInput) {
  if (outside->info != inside->info || getPostIRAliases(outside).count(inside) != 0) return;
  const bool isApart =
      !doOverlap(getCandidateLivenessIntervals(outside), getCandidateLivenessIntervals(inside));
  if (!isApart && !(isInput && isSameEverywhere(graph, outside, inside))) return;
  unite(proposed_, outside, inside);
  postIr_[outside].insert(inside);
  postIr_[inside].insert(outside);
  candidates_.clear();
}

void AliasZeroCopy::apply() {
  if (ir_ == nullptr || analyzer_ == nullptr)
    throw error("AliasZeroCopy: there is no {}; its constructor takes one",
                ir_ == nullptr ? "Ir" : "LivenessAnalyzer");
  if (analyzer_->getOpScheduleSize() == 0 && !ir_->getMainGraph().getOps().empty())
    throw error("AliasZeroCopy: the LivenessAnalyzer has no order yet; apply() it first");
  ofIr_.clearAliases();
  needed_.clear();
  postIr_.clear();
  candidates_.clear();
  AliasesMap all(ir_);
  for (const Graph* graph : ir_->getAllGraphs()) ofIr_.addAllAliases(all.getAliases(graph->id));
  proposed_ = ofIr_;
  active_ = ofIr_;
  findNeeded();
  const auto size = static_cast<int64_t>(analyzer_->getOpScheduleSize());
  for (int64_t i = 0; i < size; ++i) {
    const LivenessNode& node = analyzer_->getOpScheduleAt(i);
    const bool isInput = node.getStatus() == OpStatus::CopyInput;
    if (!isInput && node.getStatus() != OpStatus::CopyOutput) continue;
    Op* op = node.getOp();
    const Graph& graph =
        *op->getCalledGraphs().at(static_cast<std::size_t>(node.getSubgraphIndex()));
    // A loop's copies go to what the body carries on; what may be one with the loop's input is the
    // body's.
    const TensorId inside =
        isInput
            ? graph.getInputId(op->opInToSubgraphInIndex(node.getSubgraphIndex(), node.getIndex()))
            : node.getTensorIds().second;
    propose(graph, ir_->getTensor(node.getTensorIds().first), ir_->getTensor(inside), isInput);
  }
}

}  // namespace liveness
}  // namespace popart
