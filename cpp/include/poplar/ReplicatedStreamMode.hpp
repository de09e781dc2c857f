// Distribution of a host stream over replicas.
// After poplar/ReplicatedStreamMode.hpp of the Poplar SDK 3.
#ifndef poplar_ReplicatedStreamMode_hpp
#define poplar_ReplicatedStreamMode_hpp

#pragma GCC visibility push(default)

namespace poplar {

/// REPLICATE: each replica has its own stream. BROADCAST: all replicas get the same data. Both are
/// equal here, with one replica.
enum class ReplicatedStreamMode { REPLICATE, BROADCAST };

}  // namespace poplar

#pragma GCC visibility pop

#endif
