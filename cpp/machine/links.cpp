#include "machine/links.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace popir {

void LinkTraffic::add(unsigned from, unsigned to, std::uint64_t bytes) {
  if (from == to || bytes == 0) return;
  bytes_.resize(static_cast<std::size_t>(ipus_) * ipus_);
  bytes_[from * ipus_ + to] += bytes;
}

void LinkTraffic::add(const LinkTraffic& other) {
  if (other.bytes_.empty()) return;
  bytes_.resize(other.bytes_.size());
  for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] += other.bytes_[i];
}

std::uint64_t LinkTraffic::bytes() const {
  return std::accumulate(bytes_.begin(), bytes_.end(), std::uint64_t{0});
}

namespace {

// What an IPU sends: to its partner, if source and destination are on one rung; to its partner, if
// not; to the next rung; to the previous one.
enum Way { kPartner, kAcross, kUp, kDown, kWays };

// Calls visit(IPU, way) for each link that traffic between two of the `ipus` takes.
template <class Visit>
void route(unsigned at, unsigned to, unsigned ipus, const Visit& visit) {
  if (at / 2 == to / 2) {
    visit(at, kPartner);
    return;
  }
  const auto cross = [&] {
    visit(at, kAcross);
    at ^= 1;
  };
  const bool crosses = at % 2 != to % 2;
  const bool first = crosses && (at ^ 1) < ipus;  // else `at` has no partner
  if (first) cross();
  for (; at / 2 < to / 2; at += 2) visit(at, kUp);
  for (; at / 2 > to / 2; at -= 2) visit(at, kDown);
  if (crosses && !first) cross();
}

double bitsPerSecond(const TargetSpec& spec, Way way) {
  const unsigned links = way == kPartner  ? spec.linksToPartner
                         : way == kAcross ? spec.linksAcross
                                          : spec.linksAlong;
  return links * spec.linkBitsPerSecond * spec.linkEfficiency;
}

}  // namespace

std::uint64_t LinkTraffic::cycles(const TargetSpec& spec) const {
  if (bytes_.empty()) return 0;
  double seconds = 0;
  const auto over = [&](std::uint64_t bytes, double rate) {
    seconds = std::max(seconds, static_cast<double>(bytes) / (rate / 8));
  };
  if (spec.exchangeLimits.empty()) {
    std::vector<std::array<std::uint64_t, kWays>> busy(ipus_);
    for (unsigned from = 0; from < ipus_; ++from)
      for (unsigned to = 0; to < ipus_; ++to)
        if (const auto bytes = bytes_[from * ipus_ + to])
          route(from, to, ipus_, [&](unsigned at, Way way) { busy[at][way] += bytes; });
    for (const auto& ipu : busy)
      for (unsigned way = 0; way < kWays; ++way)
        over(ipu[way], bitsPerSecond(spec, static_cast<Way>(way)));
  } else {
    for (const auto& limit : spec.exchangeLimits) {
      std::uint64_t bytes = 0;
      for (const auto& [from, to] : limit.flows)
        if (from < ipus_ && to < ipus_) bytes += bytes_[from * ipus_ + to];
      over(bytes, limit.bitsPerSecond);
    }
  }
  return static_cast<std::uint64_t>(std::ceil(seconds * spec.tileClockFrequency));
}

std::vector<TargetSpec::ExchangeLimit> exchangeLimits(const TargetSpec& spec) {
  if (!spec.exchangeLimits.empty()) return spec.exchangeLimits;
  std::vector<std::array<std::vector<std::pair<unsigned, unsigned>>, kWays>> flows(spec.numIPUs);
  for (unsigned from = 0; from < spec.numIPUs; ++from)
    for (unsigned to = 0; to < spec.numIPUs; ++to)
      if (from != to)
        route(from, to, spec.numIPUs,
              [&](unsigned at, Way way) { flows[at][way].emplace_back(from, to); });
  std::vector<TargetSpec::ExchangeLimit> limits;
  for (const auto& ipu : flows)
    for (unsigned way = 0; way < kWays; ++way)
      if (!ipu[way].empty())
        limits.push_back({bitsPerSecond(spec, static_cast<Way>(way)), ipu[way]});
  return limits;
}

}  // namespace popir
