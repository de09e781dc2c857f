#include <popart/graphutils.hpp>
#include <popart/op.hpp>
#include <popart/tensor.hpp>
#include <popart/tensorindex.hpp>
#include <popart/topocons.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace popart {
namespace graphutils {
namespace {

/// A tensor, and the operators that call the graphs around it, as far as they were gone through.
struct Place {
  Tensor* tensor;
  std::vector<Op*> calls;
};

struct Step {
  Op* op;
  Place to;
};

class Steps {
 public:
  explicit Steps(TraverseCallSites sites) : sites_(sites) {}

  /// What follows a place, or what is before it.
  std::vector<Step> of(const Place& from, bool isForward) const {
    std::vector<Step> steps;
    if (isForward) {
      for (Op* op : from.tensor->consumers.getOps()) through(op, from, true, steps);
    } else if (Op* op = from.tensor->getProducerUnsafe()) {
      through(op, from, false, steps);
    }
    if (isForward ? from.tensor->isGraphOutput() : from.tensor->isGraphInput())
      leave(from, isForward, steps);
    return steps;
  }

 private:
  /// Into the graphs that an operator calls; what these do not get or give, to its other side.
  void through(Op* op, const Place& from, bool isForward, std::vector<Step>& steps) const {
    const auto& near = isForward ? op->input : op->output;
    const std::vector<const Graph*> graphs = op->getCalledGraphs();
    bool isPast = false;
    for (const int index : near->indices(from.tensor)) {
      bool isInside = false;
      for (std::size_t g = 0; g < graphs.size(); ++g) {
        const auto number = static_cast<SubgraphIndex>(g);
        const int inside = isForward ? op->opInToSubgraphInIndex(number, index)
                                     : op->opOutToSubgraphOutIndex(number, index);
        const std::vector<TensorId> ids =
            isForward ? graphs[g]->getInputIds() : graphs[g]->getOutputIds();
        if (inside < 0 || inside >= static_cast<int>(ids.size())) continue;
        Place to{const_cast<Graph*>(graphs[g])->getTensor(ids[static_cast<std::size_t>(inside)]),
                 from.calls};
        if (sites_ == TraverseCallSites::Current) to.calls.push_back(op);
        steps.push_back({op, std::move(to)});
        isInside = true;
      }
      isPast |= !isInside;
    }
    if (!isPast) return;
    for (const auto& far : (isForward ? op->output : op->input)->tensorMap())
      steps.push_back({op, {far.second, from.calls}});
  }

  /// To the tensors of operators that call the graph.
  void leave(const Place& from, bool isForward, std::vector<Step>& steps) const {
    const Graph& graph = from.tensor->getGraph();
    std::vector<Op*> callers;
    if (sites_ == TraverseCallSites::All || from.calls.empty())
      callers = graph.getCallSiteOps();
    else
      callers = {from.calls.back()};
    for (Op* op : callers) {
      const SubgraphIndex number = op->getCalledGraphIndex(graph.id);
      const int index =
          isForward ? op->subgraphOutToOpOutIndex(number, from.tensor->getGraphOutputIndex())
                    : op->subgraphInToOpInIndex(number, from.tensor->getGraphInputIndex());
      if (isForward ? !op->hasOutput(index) : !op->hasInput(index)) continue;
      Place to{isForward ? op->outTensor(index) : op->inTensor(index), from.calls};
      if (!to.calls.empty()) to.calls.pop_back();
      steps.push_back({op, std::move(to)});
    }
  }

  TraverseCallSites sites_;
};

}  // namespace

void traverse(std::vector<Tensor*> tensors, std::function<bool(Tensor*)> visitor,
              std::function<bool(Op*, Tensor*, Tensor*)> filter, TraversalType traversalType,
              VisitType visitType, TraversalDirection traversalDirection,
              TraverseCallSites traverseCallSites) {
  const Steps steps(traverseCallSites);
  const bool isBreadthFirst = traversalType == TraversalType::BreadthFirst;
  std::deque<Place> waiting;
  std::map<Tensor*, std::set<std::vector<Op*>>> seen;
  const auto wait = [&](const Place& place) {
    std::set<std::vector<Op*>>& ways = seen[place.tensor];
    // What was reached without calls stands for all ways.
    if (ways.count({}) == 0 && ways.insert(place.calls).second) waiting.push_back(place);
  };
  for (Tensor* tensor : tensors) wait({tensor, {}});
  while (!waiting.empty()) {
    const Place place = isBreadthFirst ? waiting.front() : waiting.back();
    if (isBreadthFirst)
      waiting.pop_front();
    else
      waiting.pop_back();
    bool goesOn = visitType == VisitType::Pre && visitor(place.tensor);
    std::vector<Place> next;
    const auto go = [&](bool isForward) {
      for (Step& step : steps.of(place, isForward))
        if (filter(step.op, place.tensor, step.to.tensor)) next.push_back(std::move(step.to));
    };
    // Depth first the last is taken first.
    if (traversalDirection == TraversalDirection::Forward) {
      go(true);
    } else if (traversalDirection == TraversalDirection::Backward) {
      go(false);
    } else {
      const bool first =
          (traversalDirection == TraversalDirection::ForwardBackward) == isBreadthFirst;
      go(first);
      go(!first);
    }
    if (visitType == VisitType::Post) goesOn = visitor(place.tensor);
    if (goesOn)
      for (const Place& each : next) wait(each);
  }
}

void traverse(std::vector<Tensor*> tensors, std::function<bool(Tensor*)> visitor,
              std::function<bool(Op*, Tensor*, Tensor*)> filter, TraversalType traversalType,
              VisitType visitType, TraversalDirection traversalDirection) {
  traverse(std::move(tensors), std::move(visitor), std::move(filter), traversalType, visitType,
           traversalDirection, TraverseCallSites::Current);
}

void traverseBreadthFirst(std::vector<Tensor*> tensors, std::function<bool(Tensor*)> visitor) {
  traverse(
      std::move(tensors), std::move(visitor), [](Op*, Tensor*, Tensor*) { return true; },
      TraversalType::BreadthFirst, VisitType::Pre, TraversalDirection::Forward);
}

void traverseDepthFirst(std::vector<Tensor*> tensors, std::function<bool(Tensor*)> visitor) {
  traverse(
      std::move(tensors), std::move(visitor), [](Op*, Tensor*, Tensor*) { return true; },
      TraversalType::DepthFirst, VisitType::Pre, TraversalDirection::Forward);
}

std::vector<Tensor*> rootTensors(Tensor* tensor) {
  std::vector<Tensor*> roots;
  traverse(
      {tensor},
      [&](Tensor* t) {
        if (!t->hasProducer()) roots.push_back(t);
        return true;
      },
      [](Op*, Tensor*, Tensor*) { return true; }, TraversalType::DepthFirst, VisitType::Pre,
      TraversalDirection::Backward);
  return roots;
}

// ---- Orders ----

namespace {

/// The operators that read an operator's outputs, and those that have to run after it.
std::vector<Op*> followers(const Op& op) {
  std::vector<Op*> found;
  for (const auto& out : op.output->tensorMap()) {
    const std::vector<Op*> readers = out.second->consumers.getOps();
    found.insert(found.end(), readers.begin(), readers.end());
  }
  const std::vector<Op*> bound = op.getGraph().topoCons->getAfters(const_cast<Op*>(&op));
  found.insert(found.end(), bound.begin(), bound.end());
  return found;
}

}  // namespace

std::map<Op*, std::set<Op*, POpCmp>, POpCmp> getOpsWithBefores(const std::set<Op*, POpCmp>& ops) {
  // What can be reached, each operator after all that it is before: depth first, then the reverse.
  struct Visit {
    Op* op;
    std::vector<Op*> after;
  };
  std::map<Op*, std::vector<Op*>> afters;
  std::vector<Op*> order;
  std::vector<Visit> open;
  const auto enter = [&](Op* op) {
    const auto [known, isNew] = afters.emplace(op, std::vector<Op*>());
    if (!isNew) return;
    known->second = followers(*op);
    open.push_back({op, known->second});
  };
  for (Op* op : ops) {
    enter(op);
    while (!open.empty()) {
      std::vector<Op*>& left = open.back().after;
      if (left.empty()) {
        order.push_back(open.back().op);
        open.pop_back();
      } else {
        Op* next = left.back();
        left.pop_back();
        enter(next);
      }
    }
  }
  std::map<Op*, std::set<Op*, POpCmp>> before;
  std::map<Op*, std::set<Op*, POpCmp>, POpCmp> befores;
  for (auto each = order.rbegin(); each != order.rend(); ++each) {
    Op* op = *each;
    std::set<Op*, POpCmp> own = std::move(before[op]);
    before.erase(op);
    if (ops.count(op) != 0) befores[op] = own;
    if (ops.count(op) != 0) own.insert(op);
    for (Op* after : afters.at(op)) before[after].insert(own.begin(), own.end());
  }
  return befores;
}

std::map<Op*, std::set<Op*, POpCmp>, POpCmp> getOpsWithBefores(const std::vector<Op*>& ops) {
  return getOpsWithBefores(std::set<Op*, POpCmp>(ops.begin(), ops.end()));
}

// ---- Matches ----

bool operator<(const Edge& a, const Edge& b) {
  const auto key = [](const Edge& e) {
    return std::make_tuple(e.getFrom(), e.getTo(), e.getOut(), e.getIn(), e.getEdgeType());
  };
  return key(a) < key(b);
}

namespace {

bool connects(const Edge& edge, Op* from, Op* to) {
  if (edge.getEdgeType() == EdgeType::TopoCon) return from->getGraph().topoCons->contains(from, to);
  for (const auto& out : from->output->tensorMap()) {
    if (edge.getOut() != -1 && edge.getOut() != out.first) continue;
    for (const InIndex in : to->input->indices(out.second))
      if (edge.getIn() == -1 || edge.getIn() == in) return true;
  }
  return false;
}

/// Chooses operators for one predicate after another. An edge is looked at as soon as both of its
/// ends are chosen.
class Matcher {
 public:
  Matcher(Graph& graph, const OpPreds& preds, const Edges& edges)
      : edges_(edges), candidates_(preds.size()), chosen_(preds.size(), nullptr) {
    const int count = static_cast<int>(preds.size());
    for (const Edge& edge : edges)
      for (const int end : {edge.getFrom(), edge.getTo()})
        if (end < 0 || end >= count)
          throw error("findMatchingOps: an edge names the predicate {}; there are {}", end, count);
    for (const OpId id : graph.getOpIds()) {
      Op* op = graph.getOp(id);
      for (std::size_t i = 0; i < preds.size(); ++i)
        if (preds[i](op)) candidates_[i].push_back(op);
    }
  }

  std::vector<std::vector<Op*>> matches() {
    if (!chosen_.empty()) choose(0);
    return std::move(found_);
  }

 private:
  void choose(std::size_t i) {
    if (i == chosen_.size()) return found_.push_back(chosen_);
    for (Op* op : candidates_[i]) {
      if (std::find(chosen_.begin(), chosen_.begin() + static_cast<std::ptrdiff_t>(i), op) !=
          chosen_.begin() + static_cast<std::ptrdiff_t>(i))
        continue;
      chosen_[i] = op;
      if (fits(static_cast<int>(i))) choose(i + 1);
    }
  }

  bool fits(int i) const {
    return std::all_of(edges_.begin(), edges_.end(), [&](const Edge& edge) {
      if (std::max(edge.getFrom(), edge.getTo()) != i) return true;
      return connects(edge, chosen_[static_cast<std::size_t>(edge.getFrom())],
                      chosen_[static_cast<std::size_t>(edge.getTo())]);
    });
  }

  const Edges& edges_;
  std::vector<std::vector<Op*>> candidates_;
  std::vector<Op*> chosen_;
  std::vector<std::vector<Op*>> found_;
};

}  // namespace

std::vector<std::vector<Op*>> findMatchingOps(Graph& graph, const OpPreds& preds,
                                              const Edges& edges) {
  return Matcher(graph, preds, edges).matches();
}

std::vector<std::vector<Op*>> findMatchingOps(Graph& graph, const OpPredMap& preds,
                                              const Edges& edges) {
  OpPreds inOrder;
  for (const auto& pred : preds) {
    if (pred.first != inOrder.size())
      throw error("findMatchingOps: the predicates have the numbers 0 to {}; one has {}",
                  preds.size() - 1, pred.first);
    inOrder.push_back(pred.second);
  }
  return findMatchingOps(graph, inOrder, edges);
}

// ---- The loss ----

std::ostream& operator<<(std::ostream& os, const OpFinalLossRelation& relation) {
  static const char* const names[] = {"ToLoss", "FromLoss", "ToFromLoss", "FromToLoss"};
  return os << names[static_cast<int>(relation)];
}

std::map<Op*, OpFinalLossRelation, POpCmp> getOpFinalLossRelations(Graph& graph) {
  using Relation = OpFinalLossRelation;
  std::map<Op*, Relation, POpCmp> relations;
  const std::vector<Op*> schedule = graph.getOpSchedule({}, RequireOptimalSchedule::No);
  for (Op* op : schedule)
    relations[op] = op->toLoss == PathToLoss::Yes       ? Relation::ToLoss
                    : op->fromLoss == PathFromLoss::Yes ? Relation::FromLoss
                                                        : Relation::FromToLoss;
  const auto isBackward = [&](Op* op) {
    return relations.at(op) == Relation::FromLoss || relations.at(op) == Relation::ToFromLoss;
  };
  // What the backward pass reads is before what reads it in the order.
  for (auto each = schedule.rbegin(); each != schedule.rend(); ++each) {
    Relation& relation = relations.at(*each);
    if (relation != Relation::FromToLoss) continue;
    for (const auto& out : (*each)->output->tensorMap())
      for (Op* reader : out.second->consumers.getOps())
        if (isBackward(reader)) relation = Relation::ToFromLoss;
  }
  for (Op* op : schedule) {
    Relation& relation = relations.at(op);
    if (relation != Relation::FromToLoss) continue;
    for (Op* before : graph.topoCons->getBefores(op))
      if (isBackward(before)) relation = Relation::ToFromLoss;
  }
  // What has to run before an operator of the forward pass is beside that.
  for (auto each = schedule.rbegin(); each != schedule.rend(); ++each) {
    Relation& relation = relations.at(*each);
    if (relation != Relation::ToFromLoss) continue;
    for (Op* after : graph.topoCons->getAfters(*each))
      if (!isBackward(after)) relation = Relation::FromToLoss;
  }
  return relations;
}

}  // namespace graphutils
}  // namespace popart
