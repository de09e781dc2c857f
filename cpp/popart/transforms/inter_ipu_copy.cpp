// Copies between IPUs.
#include <popart/graph.hpp>
#include <popart/op/ipucopy.hpp>
#include <popart/operators.hpp>
#include <popart/transforms/interipucopy.hpp>

#include <typeinfo>

namespace popart {
namespace {

const bool registeredCopies = Transform::registerTransform(new InterIpuCopy());

VGraphId ipuOf(Tensor* tensor) {
  Op* producer = tensor->getProducerUnsafe();
  if (producer == nullptr) return tensor->getVirtualGraphIdUnsafe();
  if (producer->isIpuCopyOp()) return static_cast<IpuCopyOp*>(producer)->getDestIpu();
  return producer->getIntrospectionOutVirtualGraphId(producer->outIndex(tensor)).first;
}

IpuCopyOp* copied(Graph& graph, Tensor* tensor, const Op& reader, VGraphId from, VGraphId to) {
  const Op* producer = tensor->getProducerUnsafe();
  const Op& near = producer == nullptr ? reader : *producer;
  IpuCopyOp* copy = graph.createOp<IpuCopyOp>(Onnx::CustomOperators::IpuCopy, to,
                                              Op::Settings(graph, "", near.getScope()));
  copy->setPipelineStage(near.getOptionalPipelineStage());
  copy->setExecutionPhase(near.getOptionalExecutionPhase());
  copy->settings.executionContext = near.settings.executionContext;
  copy->fromLoss = near.fromLoss;
  copy->toLoss = near.toLoss;
  copy->scheduledPreLoss = near.scheduledPreLoss;
  copy->connectInTensor(0, tensor->id, from);
  copy->createAndConnectOutTensor(0, tensor->id + "_c" + std::to_string(to));
  copy->setup();
  return copy;
}

}  // namespace

InterIpuCopy::~InterIpuCopy() = default;
std::size_t InterIpuCopy::id() { return typeid(InterIpuCopy).hash_code(); }

bool InterIpuCopy::apply(Graph& graph) const {
  bool changed = false;
  for (Tensor* tensor : graph.getTensors().getAll()) {
    const VGraphId from = ipuOf(tensor);
    if (from == unusedVGraphId) continue;
    std::map<VGraphId, Op*> copies;
    // Those of an earlier call.
    for (Op* reader : tensor->consumers.getOps())
      if (reader->isIpuCopyOp()) copies[static_cast<IpuCopyOp*>(reader)->getDestIpu()] = reader;
    for (Op* reader : tensor->consumers.getOps()) {
      if (reader->isIpuCopyOp()) continue;
      for (const InIndex in : reader->input->indices(tensor)) {
        const VGraphId to = reader->getIntrospectionInVirtualGraphId(in).first;
        if (to == unusedVGraphId || to == from) continue;
        Op*& copy = copies[to];
        if (copy == nullptr) copy = copied(graph, tensor, *reader, from, to);
        reader->disconnectInTensor(in, tensor);
        reader->connectInTensor(in, copy->outId(copy->inIndex(tensor)));
        changed = true;
      }
    }
  }
  return changed;
}

}  // namespace popart
