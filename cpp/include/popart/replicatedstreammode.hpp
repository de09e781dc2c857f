// What replicas get of an input. After popart/replicatedstreammode.hpp of PopART 3.
#ifndef popart_replicatedstreammode_hpp
#define popart_replicatedstreammode_hpp

namespace popart {

enum class ReplicatedStreamMode {
  Broadcast = 0,  ///< all the same
  Replicate       ///< each its own
};

}  // namespace popart

#endif
