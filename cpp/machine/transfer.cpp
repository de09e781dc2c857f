#include "machine/transfer.hpp"

#include <algorithm>

namespace popir {

double secondsOfTransfer(const TargetSpec& spec, const TransferCost& transfer,
                         const Replicas& replicas) {
  const auto within = [&](unsigned ipus) {
    return std::min(replicas.number, std::max(1u, ipus / replicas.ipus));
  };
  const auto atGateway = static_cast<double>(transfer.gatewayBytes) * within(spec.ipusPerGateway);
  if (!transfer.withHost) return atGateway / spec.streamingBytesPerSecond;
  const auto atServers = static_cast<double>(transfer.bytes) * within(spec.ipusPerPod);
  return spec.hostLatencySeconds +
         std::max(atGateway / spec.hostBytesPerSecond,
                  atServers / (spec.serverBytesPerSecond * spec.serversPerPod));
}

}  // namespace popir
