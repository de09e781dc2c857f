// Exchanges that are made at once.
#include <popart/graph.hpp>
#include <popart/logging.hpp>
#include <popart/op/exchange/hostcopy.hpp>
#include <popart/op/exchange/multiexchange.hpp>
#include <popart/op/exchange/remote.hpp>
#include <popart/operators.hpp>
#include <popart/topocons.hpp>
#include <popart/transforms/mergeexchange.hpp>

#include <algorithm>
#include <typeinfo>
#include <utility>

namespace popart {
namespace {

const bool registeredExchanges = Transform::registerTransform(new MergeExchange());

/// Whether one of the operators computes what `op` depends on.
bool dependsOn(const Op& op, const std::vector<ExchangeBaseOp*>& ops) {
  std::set<const Op*> seen;
  std::vector<const Op*> front = {&op};
  while (!front.empty()) {
    const Op* each = front.back();
    front.pop_back();
    for (const auto& in : each->input->tensorMap())
      if (const Op* producer = in.second->getProducerUnsafe();
          producer && seen.insert(producer).second)
        front.push_back(producer);
    for (const Op* before : op.getGraph().topoCons->getBefores(const_cast<Op*>(each)))
      if (std::find(ops.begin(), ops.end(), before) == ops.end() && seen.insert(before).second)
        front.push_back(before);
  }
  return std::any_of(ops.begin(), ops.end(), [&](const Op* each) { return seen.count(each) != 0; });
}

/// Whether one of two exchanges of a remote buffer writes it.
bool collide(const ExchangeBaseOp& a, const ExchangeBaseOp& b) {
  for (int i = 0; i < a.getNumExchanges(); ++i)
    for (int k = 0; k < b.getNumExchanges(); ++k) {
      const ExchangeDescriptor x = a.getExchangeDescriptor(i), y = b.getExchangeDescriptor(k);
      const bool writes = x.getDirection() == ExchangeDirection::Store ||
                          y.getDirection() == ExchangeDirection::Store;
      if (writes && x.isRemoteExchange() && y.isRemoteExchange() &&
          x.getRemoteBufferId() == y.getRemoteBufferId())
        return true;
    }
  return false;
}

bool fits(const ExchangeBaseOp& op, const std::vector<ExchangeBaseOp*>& ops) {
  if (ops.empty()) return true;
  const Op::Settings &a = op.settings, &b = ops.front()->settings;
  return a.executionContext == b.executionContext && a.pipelineStage == b.pipelineStage &&
         a.executionPhase == b.executionPhase &&
         std::none_of(ops.begin(), ops.end(),
                      [&](const ExchangeBaseOp* each) { return collide(op, *each); }) &&
         !dependsOn(op, ops);
}

Op* merged(Graph& graph, const std::vector<ExchangeBaseOp*>& ops) {
  ExchangeDescriptors descriptors;
  for (const ExchangeBaseOp* op : ops)
    for (int i = 0; i < op->getNumExchanges(); ++i)
      descriptors.push_back(op->getExchangeDescriptor(i));
  Op::Settings settings = ops.back()->settings;
  settings.name.clear();
  auto* all =
      graph.createOp<MultiExchangeOp>(Onnx::CustomOperators::MultiExchange, settings, descriptors);
  all->scheduledPreLoss = ops.back()->scheduledPreLoss;
  all->toLoss = ops.back()->toLoss;
  all->fromLoss = ops.back()->fromLoss;
  InIndex in = 0;
  OutIndex out = 0;
  for (ExchangeBaseOp* op : ops) {
    for (ExchangeBaseOp* other : ops)
      if (graph.topoCons->contains(op, other)) graph.topoCons->remove(op, other);
    for (const auto& each : op->input->tensorIdMap()) all->connectInTensor(in++, each.second);
    const auto outputs = op->output->tensorIdMap();
    op->disconnectAllInputs();
    op->disconnectAllOutputs();
    for (const auto& each : outputs) all->connectOutTensor(out++, each.second);
  }
  for (ExchangeBaseOp* op : ops) {
    graph.topoCons->transfer(op, all);
    logging::transform::debug("MergeExchange: {} is part of {}", op->debugName(), all->str());
    graph.eraseOp(op->id);
  }
  all->setup();
  return all;
}

}  // namespace

MergeExchange::~MergeExchange() = default;
std::size_t MergeExchange::id() { return typeid(MergeExchange).hash_code(); }

std::vector<Op*> MergeExchange::applyToOps(Graph& graph, const std::set<OpId> include_ops) const {
  std::vector<Op*> made;
  std::vector<ExchangeBaseOp*> current;
  const auto finish = [&] {
    if (current.size() > 1) made.push_back(merged(graph, current));
    current.clear();
  };
  for (Op* op : graph.getOpSchedule({}, RequireOptimalSchedule::No)) {
    auto* exchange = dynamic_cast<ExchangeBaseOp*>(op);
    if (exchange != nullptr && include_ops.count(op->id) != 0) {
      if (!fits(*exchange, current)) finish();
      current.push_back(exchange);
    } else if (op->input->n() != 0 || graph.topoCons->hasConstraint(op)) {
      finish();
    }
  }
  finish();
  return made;
}

bool MergeExchange::apply(Graph& graph) const {
  const std::vector<OpId> ids = graph.getOpIds();
  return !applyToOps(graph, std::set<OpId>(ids.begin(), ids.end())).empty();
}

}  // namespace popart
