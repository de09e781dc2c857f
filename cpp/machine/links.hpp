// Links between IPUs: a ladder, two IPUs to a rung. Traffic to the other side crosses on its own
// rung, then goes up or down, as in the model of links that PopLibs' tests give an IPUModel.
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

  void add(unsigned from, unsigned to, std::uint64_t bytes);
  void add(const LinkTraffic& other);
  std::uint64_t bytes() const;
  /// Of the links that are busy longest; none if nothing travels.
  std::uint64_t cycles(const TargetSpec& spec) const;

 private:
  unsigned ipus_;
  std::vector<std::uint64_t> bytes_;  // [from][to]; empty while nothing travels
};

}  // namespace popir

#endif
