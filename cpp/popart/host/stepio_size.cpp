#include <popart/ir.hpp>
#include <popart/sessionoptions.hpp>
#include <popart/stepio_size_assertion.hpp>
#include <popart/tensor.hpp>

namespace popart {
namespace iosizecheck {

void CorrectnessAsserter::check(const TensorId& id, int64_t given, bool isInput) const {
  const char* what = isInput ? "input" : "output";
  if (!executable_.containsTensor(id))
    throw error("There is an array for the {} '{}', and the graph has no such tensor", what, id);
  const DataFlow& flow = executable_.ir().getDataFlow();
  if (!isInput && !flow.isAnchored(id))
    throw error("There is an array for the output '{}', which is no anchor", id);
  const SessionOptions& options = executable_.getSessionOptions();
  const Tensor& tensor = *executable_.getTensor(id);
  const int64_t micro = options.enableGradientAccumulation ? options.accumulationFactor : 1;
  const bool isShared =
      isInput && tensor.getReplicatedStreamMode() == ReplicatedStreamMode::Broadcast;
  const int64_t replicas =
      options.enableReplicatedGraphs && !isShared ? options.replicatedGraphCount : 1;
  int64_t batches = flow.batchesPerStep() * micro;
  if (!isInput) {
    const AnchorReturnType returned = flow.art(id);
    if (returned.id() == AnchorReturnTypeId::EveryN)
      batches /= returned.rp();
    else if (returned.id() != AnchorReturnTypeId::All)
      batches = 1;
  }
  const int64_t expected = tensor.info.nelms() * batches * replicas;
  if (given != expected)
    throw error(
        "The array for the {} '{}' has {} elements; expected are {}: {} for each of {} batches and "
        "{} replicas",
        what, id, given, expected, tensor.info.nelms(), batches, replicas);
}

}  // namespace iosizecheck
}  // namespace popart
