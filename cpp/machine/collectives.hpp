// What collectives between the replicas of a model cost on the links of pods.
//
// A replica is some IPUs that follow one another on the ladder of a pod (machine/links.hpp). IPU i
// of each replica holds the same weights, so that the IPUs with the number i of all replicas form a
// group. All groups communicate at the same time, over the same links. Pods form a ring, in which
// the gateways of neighbours are connected.
#ifndef popir_machine_collectives_hpp
#define popir_machine_collectives_hpp

#include <cstdint>
#include <string>
#include <vector>

#include "machine/target_spec.hpp"

namespace popir {

/// The cost of a collective.
struct CollectiveCost {
  /// "none" for one replica, "ring" or "two-level".
  std::string algorithm = "none";
  /// Bytes that the IPUs of a replica send over IPU-Links, and over GW-Links.
  std::uint64_t linkBytes = 0, gatewayBytes = 0;
  /// Steps one after another, each a transfer and a sync.
  std::uint64_t steps = 0;
  /// The time that links take, that gateways take beyond it, and that syncs take.
  double linkSeconds = 0, gatewaySeconds = 0, syncSeconds = 0;

  double seconds() const { return linkSeconds + gatewaySeconds + syncSeconds; }
};

/// The cost of an all-reduce between `replicas` replicas: the cheaper one of two algorithms.
///
/// ring: a reduce-scatter, then an all-gather, in a ring of all replicas; 2 (replicas - 1) steps,
/// in each of which an IPU sends one part of `replicas` to the next replica.
/// two-level: a reduce-scatter in a ring in each pod, an all-reduce of the parts in a ring of pods,
/// an all-gather in each pod.
///
/// `bytes`: by IPU of a replica, the bytes that it holds.
/// \throws poplar::invalid_option for a replica that is larger than a pod, and for more than
/// kMostIPUs IPUs together.
__attribute__((visibility("default"))) CollectiveCost costOfAllReduce(
    const TargetSpec& spec, unsigned replicas, const std::vector<std::uint64_t>& bytes);

/// The most IPUs, of all replicas together, that collectives are costed for.
constexpr unsigned kMostIPUs = 4096;

}  // namespace popir

#endif
