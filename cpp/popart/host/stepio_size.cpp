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
  const int64_t steps = flow.batchesPerStep(), batches = options.accumulationFactor,
                replicas = options.replicatedGraphCount;
  int64_t expected = executable_.getTensor(id)->info.nelms() * steps * batches * replicas;
  if (!isInput) {
    const AnchorReturnType returned = flow.art(id);
    switch (returned.id()) {
      case AnchorReturnTypeId::All: break;
      case AnchorReturnTypeId::EveryN: expected /= returned.rp(); break;
      default: expected /= steps * batches;
    }
  }
  if (given != expected)
    throw error(
        "The array for the {} '{}' has {} elements; expected are {}: {} for each of {} batches of "
        "a "
        "step, {} accumulated and {} replicas",
        what, id, given, expected, executable_.getTensor(id)->info.nelms(), steps, batches,
        replicas);
}

}  // namespace iosizecheck
}  // namespace popart
