#include <popart/graphutils.hpp>
#include <popart/op.hpp>
#include <popart/tensor.hpp>
#include <popart/tensorindex.hpp>

#include <deque>
#include <set>
#include <utility>

namespace popart {
namespace graphutils {
namespace {

using Step = std::pair<Op*, Tensor*>;

void addForward(Tensor* tensor, std::vector<Step>& steps) {
  for (Op* op : tensor->consumers.getOps())
    for (const auto& out : op->output->tensorMap()) steps.push_back({op, out.second});
}

void addBackward(Tensor* tensor, std::vector<Step>& steps) {
  if (!tensor->hasProducer()) return;
  Op* op = tensor->getProducer();
  for (const auto& in : op->input->tensorMap()) steps.push_back({op, in.second});
}

std::vector<Step> following(Tensor* tensor, TraversalDirection direction) {
  std::vector<Step> steps;
  if (direction == TraversalDirection::BackwardForward) addBackward(tensor, steps);
  if (direction != TraversalDirection::Backward) addForward(tensor, steps);
  if (direction == TraversalDirection::Backward || direction == TraversalDirection::ForwardBackward)
    addBackward(tensor, steps);
  return steps;
}

}  // namespace

void traverse(std::vector<Tensor*> tensors, std::function<bool(Tensor*)> visitor,
              std::function<bool(Op*, Tensor*, Tensor*)> filter, TraversalType traversalType,
              VisitType visitType, TraversalDirection traversalDirection) {
  std::set<Tensor*> seen;
  if (traversalType == TraversalType::BreadthFirst) {
    std::deque<Tensor*> waiting;
    for (Tensor* tensor : tensors)
      if (seen.insert(tensor).second) waiting.push_back(tensor);
    while (!waiting.empty()) {
      Tensor* tensor = waiting.front();
      waiting.pop_front();
      if (!visitor(tensor)) continue;
      for (const Step& step : following(tensor, traversalDirection))
        if (filter(step.first, tensor, step.second) && seen.insert(step.second).second)
          waiting.push_back(step.second);
    }
    return;
  }
  // A stack of its own, since graphs are deep.
  struct Frame {
    Tensor* tensor;
    std::vector<Step> steps;
    std::size_t next = 0;
  };
  for (Tensor* start : tensors) {
    std::vector<Frame> stack;
    const auto enter = [&](Tensor* tensor) {
      if (!seen.insert(tensor).second) return;
      const bool on = visitType == VisitType::Post || visitor(tensor);
      stack.push_back({tensor, on ? following(tensor, traversalDirection) : std::vector<Step>()});
    };
    enter(start);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next < top.steps.size()) {
        const Step step = top.steps[top.next++];
        if (filter(step.first, top.tensor, step.second)) enter(step.second);
        continue;
      }
      if (visitType == VisitType::Post) visitor(top.tensor);
      stack.pop_back();
    }
  }
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

}  // namespace graphutils
}  // namespace popart
