#include <popart/transforms/mergeduplicateops.hpp>

#include <popart/graph.hpp>
#include <popart/ir.hpp>
#include <popart/op.hpp>
#include <popart/tensor.hpp>
#include <popart/tensors.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>

namespace popart {
namespace {

const bool registeredDuplicates = Transform::registerTransform(new MergeDuplicateOps());

/// Whether all that the operator does is its outputs, which nothing else changes.
bool isPure(const Op& op) {
  if (op.input->n() == 0 || op.output->n() == 0 || op.hasSideEffect() || op.requiresRandomSeed() ||
      !op.getCalledGraphs().empty() || op.modifies())
    return false;
  const auto stays = [](const auto& each) { return !each.second->isModified(); };
  return std::all_of(op.output->tensorMap().begin(), op.output->tensorMap().end(), stays);
}

bool isGiven(const Op& op) {
  return std::any_of(
      op.output->tensorMap().begin(), op.output->tensorMap().end(), [&op](const auto& each) {
        return each.second->isAnchored() || op.getGraph().hasOutputId(each.second->id);
      });
}

/// A number as a key: whether there is one, and which.
template <class OPTIONAL>
std::pair<bool, int64_t> numberOf(const OPTIONAL& number) {
  return number ? std::make_pair(true, static_cast<int64_t>(*number))
                : std::make_pair(false, int64_t{0});
}

/// Operators with the same one compute the same at the same place.
auto keyOf(const Op& op) {
  return std::make_tuple(std::string(typeid(op).name()), op.getSubgraphEquivId(),
                         op.input->tensorIdMap(), numberOf(op.getOptionalVGraphId()),
                         numberOf(op.getOptionalPipelineStage()),
                         numberOf(op.getOptionalExecutionPhase()), op.settings.executionContext,
                         op.settings.recomputeType);
}

}  // namespace

MergeDuplicateOps::~MergeDuplicateOps() = default;
std::size_t MergeDuplicateOps::id() { return typeid(MergeDuplicateOps).hash_code(); }

bool MergeDuplicateOps::apply(Graph& graph) const {
  std::map<decltype(keyOf(std::declval<const Op&>())), Op*> first;
  bool changed = false;
  for (Op* op : graph.getOpSchedule({}, RequireOptimalSchedule::No)) {
    if (!isPure(*op)) continue;
    const auto found = first.emplace(keyOf(*op), op);
    const Op* kept = found.first->second;
    if (found.second || isGiven(*op) || kept->output->n() != op->output->n()) continue;
    const std::map<OutIndex, TensorId> outs = op->output->tensorIdMap();
    for (const auto& out : outs) graph.replaceTensor(out.second, kept->outId(out.first));
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    graph.eraseOp(op->id);
    for (const auto& out : outs) graph.getTensors().remove(out.second);
    changed = true;
  }
  return changed;
}

}  // namespace popart
