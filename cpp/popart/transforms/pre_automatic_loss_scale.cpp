// Marks of the automatic loss scaling.
#include <popart/ir.hpp>
#include <popart/op/autolossscaleproxy.hpp>
#include <popart/operators.hpp>
#include <popart/tensornames.hpp>
#include <popart/transforms/preautomaticlossscaling.hpp>

#include <set>
#include <typeinfo>
#include <utility>
#include <vector>

namespace popart {
namespace {

const bool registeredMarks = Transform::registerTransform(new PreAutomaticLossScale);

void mark(Graph& graph, const TensorId& id) {
  Tensor* tensor = graph.getTensor(id);
  std::vector<std::pair<Op*, InIndex>> readers;
  for (Op* op : tensor->consumers.getOps())
    for (const InIndex in : op->input->indices(tensor)) readers.emplace_back(op, in);
  const Op* near = tensor->getProducerUnsafe();
  if (near == nullptr && !readers.empty()) near = readers.front().first;
  Op* proxy = graph.createOp<AutoLossScaleProxyOp>(Onnx::CustomOperators::AutoLossScaleProxy,
                                                   Op::Settings(graph, "AlsProxyOp_" + id));
  if (near != nullptr) near->transferBaseProperties(proxy);
  const TensorId marked = reservedAutomaticLossScalePrefix() + id;
  proxy->connectInTensor(AutoLossScaleProxyOp::getInIndex(), id);
  proxy->createAndConnectOutTensor(AutoLossScaleProxyOp::getOutIndex(), marked);
  proxy->setup();
  for (const auto& [op, in] : readers) {
    op->disconnectInTensor(in, tensor);
    op->connectInTensor(in, marked);
  }
}

}  // namespace

PreAutomaticLossScale::~PreAutomaticLossScale() = default;
std::size_t PreAutomaticLossScale::id() { return typeid(PreAutomaticLossScale).hash_code(); }

bool PreAutomaticLossScale::apply(Graph& graph) const {
  const auto& tracked =
      graph.getIr().getSessionOptions().automaticLossScalingSettings.toTrackTensors;
  if (!tracked.has_value()) return false;
  if (tracked->empty())
    throw error(
        "PreAutomaticLossScale: automaticLossScalingSettings.toTrackTensors is an empty list. "
        "Leave it unset to track the gradients that are tracked by default; enabled = false "
        "tracks none");
  const std::set<TensorId> ids(tracked->begin(), tracked->end());
  std::string missing;
  for (const TensorId& id : ids)
    if (!graph.getTensors().contains(id)) missing += (missing.empty() ? "'" : ", '") + id + "'";
  if (!missing.empty())
    throw error(
        "PreAutomaticLossScale: automaticLossScalingSettings.toTrackTensors names tensors that "
        "are not in the graph: {}",
        missing);
  for (const TensorId& id : ids) mark(graph, id);
  return true;
}

}  // namespace popart
