#include "machine/links.hpp"

#include <algorithm>
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

std::uint64_t LinkTraffic::cycles(const TargetSpec& spec) const {
  if (bytes_.empty()) return 0;
  // Bytes that an IPU sends: `partner` to its partner, if source and destination are on one rung;
  // `across` to its partner, if not; `up` and `down` to the next and the previous rung.
  struct Busy {
    std::uint64_t partner = 0, across = 0, up = 0, down = 0;
  };
  std::vector<Busy> busy(ipus_);
  const auto route = [&](unsigned at, unsigned to, std::uint64_t bytes) {
    if (at / 2 == to / 2) {
      busy[at].partner += bytes;
      return;
    }
    const auto cross = [&] {
      busy[at].across += bytes;
      at ^= 1;
    };
    const bool crosses = at % 2 != to % 2;
    const bool first = crosses && (at ^ 1) < ipus_;  // else `at` has no partner
    if (first) cross();
    for (; at / 2 < to / 2; at += 2) busy[at].up += bytes;
    for (; at / 2 > to / 2; at -= 2) busy[at].down += bytes;
    if (crosses && !first) cross();
  };
  for (unsigned from = 0; from < ipus_; ++from)
    for (unsigned to = 0; to < ipus_; ++to)
      if (const auto bytes = bytes_[from * ipus_ + to]) route(from, to, bytes);

  double seconds = 0;
  const auto over = [&](std::uint64_t bytes, unsigned links) {
    const auto rate = links * spec.linkBitsPerSecond / 8 * spec.linkEfficiency;
    seconds = std::max(seconds, static_cast<double>(bytes) / rate);
  };
  for (const auto& b : busy) {
    over(b.partner, spec.linksToPartner);
    over(b.across, spec.linksAcross);
    over(b.up, spec.linksAlong);
    over(b.down, spec.linksAlong);
  }
  return static_cast<std::uint64_t>(std::ceil(seconds * spec.tileClockFrequency));
}

}  // namespace popir
