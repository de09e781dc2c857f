#include "machine/collectives.hpp"

#include <algorithm>
#include <numeric>
#include <poplar/exceptions.hpp>

#include "machine/links.hpp"

namespace popir {
namespace {

using Bytes = std::vector<std::uint64_t>;

std::uint64_t ceilDivide(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

std::uint64_t total(const Bytes& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

Bytes partsOf(const Bytes& bytes, unsigned parts) {
  Bytes each;
  for (const auto b : bytes) each.push_back(ceilDivide(b, parts));
  return each;
}

// The order of the replicas of a pod in a ring. Replicas of one IPU go up one side of the ladder
// and down the other, so that neighbours in the ring are neighbours on the ladder.
std::vector<unsigned> ringOf(unsigned replicas, std::size_t ipusPerReplica) {
  std::vector<unsigned> order(replicas);
  std::iota(order.begin(), order.end(), 0u);
  if (ipusPerReplica == 1)
    std::stable_sort(order.begin(), order.end(), [](unsigned a, unsigned b) {
      if (a % 2 != b % 2) return a % 2 < b % 2;
      return a % 2 == 0 ? a < b : a > b;
    });
  return order;
}

// The pods of a machine, as far as collectives use them.
class Pods {
 public:
  Pods(const TargetSpec& spec, unsigned replicas, const Bytes& bytes)
      : spec_(spec),
        bytes_(bytes),
        ipus_(static_cast<unsigned>(bytes.size())),
        perPod_(std::min(replicas, spec.ipusPerPod / ipus_)),
        pods_(static_cast<unsigned>(ceilDivide(replicas, perPod_))) {}

  unsigned pods() const { return pods_; }

  CollectiveCost ring(unsigned replicas) const {
    CollectiveCost cost;
    cost.algorithm = "ring";
    cost.steps = 2 * std::uint64_t{replicas - 1};
    const auto part = partsOf(bytes_, replicas);
    const auto inside = stepSeconds(part), between = gatewaySeconds(total(part), ipus_);
    cost.linkBytes = cost.steps * total(part);
    if (pods_ > 1) cost.gatewayBytes = cost.steps * total(part);
    cost.linkSeconds = static_cast<double>(cost.steps) * inside;
    if (pods_ > 1)
      cost.gatewaySeconds = static_cast<double>(cost.steps) * std::max(0.0, between - inside);
    cost.syncSeconds = static_cast<double>(cost.steps) * syncSeconds();
    return cost;
  }

  CollectiveCost twoLevel() const {
    CollectiveCost cost;
    cost.algorithm = "two-level";
    const auto part = partsOf(bytes_, perPod_);
    const auto inside = 2 * std::uint64_t{perPod_ - 1}, between = 2 * std::uint64_t{pods_ - 1};
    // Each replica of a pod has a part, and all of these go to the next pod at once.
    const auto across = ceilDivide(total(part), pods_);
    cost.steps = inside + between;
    cost.linkBytes = inside * total(part);
    cost.gatewayBytes = between * across;
    cost.linkSeconds = static_cast<double>(inside) * stepSeconds(part);
    cost.gatewaySeconds =
        static_cast<double>(between) * gatewaySeconds(across * perPod_, perPod_ * ipus_);
    cost.syncSeconds = static_cast<double>(cost.steps) * syncSeconds();
    return cost;
  }

 private:
  // The time in which each replica of a pod sends `part` to the next one of the pod's ring.
  double stepSeconds(const Bytes& part) const {
    LinkTraffic traffic(perPod_ * ipus_);
    const auto order = ringOf(perPod_, ipus_);
    for (unsigned r = 0; r < perPod_; ++r)
      for (unsigned i = 0; i < ipus_; ++i)
        traffic.add(order[r] * ipus_ + i, order[(r + 1) % perPod_] * ipus_ + i, part[i]);
    return static_cast<double>(traffic.cycles(spec_)) / spec_.tileClockFrequency;
  }

  // The time in which `ipus` IPUs of a pod send `bytes` to the next one, over all links of their
  // gateways.
  double gatewaySeconds(std::uint64_t bytes, unsigned ipus) const {
    const auto links = ceilDivide(ipus, spec_.ipusPerGateway) * spec_.gatewayLinks;
    const auto rate = spec_.gatewayLinkBitsPerSecond / 8 * spec_.linkEfficiency;
    return static_cast<double>(bytes) / (rate * static_cast<double>(links));
  }

  double syncSeconds() const {
    auto pod = spec_;
    pod.numIPUs = perPod_ * ipus_;
    // Of a phase with an exchange and one call, as the costs of steps have it.
    return (pod.beforeExchange() + pod.callCycles + pod.syncBetweenIPUs(pod.numIPUs)) /
           spec_.tileClockFrequency;
  }

  const TargetSpec& spec_;
  const Bytes& bytes_;
  unsigned ipus_, perPod_, pods_;
};

}  // namespace

CollectiveCost costOfAllReduce(const TargetSpec& spec, unsigned replicas, const Bytes& bytes) {
  const auto ipus = bytes.size();
  const auto refuse = [](const std::string& why) {
    throw poplar::invalid_option("replicas: " + why);
  };
  if (replicas == 0 || ipus == 0) refuse("there must be at least one replica, of at least one IPU");
  if (ipus > spec.ipusPerPod)
    refuse("a replica has " + std::to_string(ipus) + " IPUs, and a pod " +
           std::to_string(spec.ipusPerPod) + " (ipusPerPod): it has to fit one pod");
  if (replicas > kMostIPUs / ipus)
    refuse(std::to_string(replicas) + " replicas of " + std::to_string(ipus) +
           " IPUs given; together they may have at most " + std::to_string(kMostIPUs) + " IPUs");
  if (replicas == 1) return {};
  const Pods pods(spec, replicas, bytes);
  const auto ring = pods.ring(replicas);
  if (pods.pods() == 1) return ring;
  const auto levels = pods.twoLevel();
  return levels.seconds() < ring.seconds() ? levels : ring;
}

}  // namespace popir
