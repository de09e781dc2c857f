// What a transfer takes between IPUs and what is beyond their gateways: servers, streaming memory.
//
// The IPUs of a machine share a gateway, which has its own link to a server and its own streaming
// memory. The gateways of a pod share its servers.
#ifndef popir_machine_transfer_hpp
#define popir_machine_transfer_hpp

#include "machine/report.hpp"
#include "machine/target_spec.hpp"

namespace popir {

/// Replicas that transfer at the same time: of so many IPUs each, which follow one another.
struct Replicas {
  unsigned number = 1, ipus = 1;
};

/// The seconds of one execution on each of the replicas: of the gateway with most bytes, or of the
/// servers if they take longer. Replicas of fewer IPUs than a gateway has share it.
__attribute__((visibility("default"))) double secondsOfTransfer(const TargetSpec& spec,
                                                                const TransferCost& transfer,
                                                                const Replicas& replicas = {});

}  // namespace popir

#endif
