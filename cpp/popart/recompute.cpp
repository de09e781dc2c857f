#include <popart/error.hpp>
#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op.hpp>
#include <popart/recompute.hpp>
#include <popart/sessionoptions.hpp>
#include <popart/tensor.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

namespace popart {
namespace recompute {
namespace {

/// Sets toLoss and fromLoss of the operators, if a loss was set.
void findPaths(Graph& graph) {
  Ir& ir = graph.getIr();
  if (&graph == &ir.getMainGraph() && !ir.getFinalLossId().empty()) ir.updateVertices();
}

/// What computes the loss, and all else on the way to it that depends on it.
std::vector<Op*> lossOps(Graph& graph) {
  std::vector<Op*> ops;
  const TensorId loss = graph.getIr().getFinalLossId();
  for (const auto& [id, op] : graph.getOps()) {
    const bool isBoth = op->toLoss == PathToLoss::Yes && op->fromLoss == PathFromLoss::Yes;
    const auto& outputs = op->output->tensorMap();
    if (isBoth || std::any_of(outputs.begin(), outputs.end(),
                              [&loss](const auto& output) { return output.second->id == loss; }))
      ops.push_back(op.get());
  }
  return ops;
}

/// Makes checkpoints of those between the last checkpoints and the loss: the backward pass begins
/// with them.
void keepNextToLoss(std::vector<Op*> next) {
  std::set<Op*> seen;
  while (!next.empty()) {
    const Op* op = next.back();
    next.pop_back();
    for (const auto& [index, tensor] : op->input->tensorMap()) {
      Op* producer = tensor->getProducerUnsafe();
      if (producer == nullptr || !seen.insert(producer).second) continue;
      if (producer->settings.recomputeType != RecomputeType::Recompute) continue;
      producer->settings.recomputeType = RecomputeType::Checkpoint;
      next.push_back(producer);
    }
  }
}

std::vector<Op*> forward(Graph& graph) {
  std::vector<Op*> ops;
  for (Op* op : graph.getOpSchedule({}, RequireOptimalSchedule::Yes))
    if (op->toLoss == PathToLoss::Yes) ops.push_back(op);
  return ops;
}

/// After each operator: those that have run, and whose outputs an operator of the forward pass still
/// reads; and the operator itself.
std::vector<std::set<Op*>> liveAfterEach(const std::vector<Op*>& ops) {
  std::vector<std::set<Op*>> live(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    std::size_t last = i;
    for (const auto& [index, tensor] : ops[i]->output->tensorMap())
      for (const Op* reader : tensor->consumers.getOps()) {
        const auto found = std::find(ops.begin(), ops.end(), reader);
        if (found != ops.end()) last = std::max<std::size_t>(last, found - ops.begin());
      }
    live[i].insert(ops[i]);
    for (std::size_t at = i; at < last; ++at) live[at].insert(ops[i]);
  }
  return live;
}

int64_t bytesOf(const std::set<Op*>& ops) {
  int64_t bytes = 0;
  for (const Op* op : ops) bytes += op->memOfOutputs();
  return bytes;
}

void annotateStandard(Graph& graph) {
  const std::vector<Op*> ops = forward(graph);
  const std::vector<std::set<Op*>> live = liveAfterEach(ops);
  std::size_t length = 0;
  while (length * (length + 1) / 2 < ops.size()) ++length;
  std::set<Op*> kept;
  for (std::size_t begin = 0; begin < ops.size(); begin += length--) {
    const auto first = live.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto end =
        live.begin() + static_cast<std::ptrdiff_t>(std::min(begin + length, ops.size()));
    const auto least = std::min_element(
        first, end, [](const auto& a, const auto& b) { return bytesOf(a) < bytesOf(b); });
    kept.insert(least->begin(), least->end());
  }
  for (Op* op : ops)
    op->settings.recomputeType = kept.count(op) == 0 && op->canRecompute()
                                     ? RecomputeType::Recompute
                                     : RecomputeType::Checkpoint;
}

}  // namespace

void annotateRecomputeAll(Graph& graph) {
  findPaths(graph);
  for (const auto& [id, op] : graph.getOps())
    if (op->toLoss == PathToLoss::Yes && op->settings.recomputeType == RecomputeType::Undefined &&
        op->canRecompute())
      op->settings.recomputeType = RecomputeType::Recompute;
  // Copies of explicit recomputation are made for all.
  if (!graph.getIr().getSessionOptions().explicitRecomputation) keepNextToLoss(lossOps(graph));
}

void autoAnnotate(Graph& graph, RecomputationType type) {
  findPaths(graph);
  switch (type) {
    case RecomputationType::None: return;
    case RecomputationType::Standard: return annotateStandard(graph);
    case RecomputationType::RecomputeAll: return annotateRecomputeAll(graph);
    case RecomputationType::NormOnly:
      for (Op* op : forward(graph))
        op->settings.recomputeType = op->isNorm() && op->canRecompute() ? RecomputeType::Recompute
                                                                        : RecomputeType::Checkpoint;
      return;
    default:
      throw error(
          "recompute::autoAnnotate: the type number {} given; expected is None, Standard, NormOnly "
          "or RecomputeAll. What a pipeline computes again the compiler chooses, by "
          "SessionOptions::autoRecomputation",
          static_cast<int>(type));
  }
}

}  // namespace recompute
}  // namespace popart
