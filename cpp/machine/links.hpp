// The links between IPUs form a ladder. The two IPUs of a rung are partners:
//   1 -- 3 -- 5
//   |    |    |
//   0 -- 2 -- 4
// Traffic to the other side first crosses the rung of its source, then follows the side: from 0 to
// 5 it passes 1 and 3. If the source has no partner (4, were there no 5), traffic crosses the rung
// of its destination. This is the model of links that PopLibs' tests give an IPUModel.
#ifndef popir_machine_links_hpp
#define popir_machine_links_hpp

#include <cstdint>
#include <vector>

#include "machine/target_spec.hpp"

namespace popir {

/// Bytes between IPUs in one phase.
class LinkTraffic {
 public:
  explicit LinkTraffic(unsigned ipus) : ipus_(ipus) {}

  /// Adds bytes from one IPU to another.
  void add(unsigned from, unsigned to, std::uint64_t bytes);
  void add(const LinkTraffic& other);
  std::uint64_t bytes() const;
  /// Tile cycles of the links that are busy longest, or of the limit of `spec` that takes longest,
  /// if it has limits; 0 without traffic.
  std::uint64_t cycles(const TargetSpec& spec) const;

 private:
  unsigned ipus_;
  std::vector<std::uint64_t> bytes_;  // [from][to], ipus x ipus; empty without traffic
};

/// The limits of `spec`, or the links of its ladder as such limits.
std::vector<TargetSpec::ExchangeLimit> exchangeLimits(const TargetSpec& spec);

}  // namespace popir

#endif
