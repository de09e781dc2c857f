// The number of replicas of a graph. After poplar/replication_factor.hpp of the Poplar SDK 3.
#ifndef poplar_replication_factor_hpp
#define poplar_replication_factor_hpp

namespace poplar {

/// The replicas that a graph is made for.
struct replication_factor {
  explicit replication_factor(unsigned f) : factor(f) {}
  unsigned factor;
};

}  // namespace poplar

#endif
