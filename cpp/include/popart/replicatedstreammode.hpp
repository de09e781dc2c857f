// What replicas get of an input. After popart/replicatedstreammode.hpp of PopART 3.
#ifndef popart_replicatedstreammode_hpp
#define popart_replicatedstreammode_hpp

#include <ostream>

#pragma GCC visibility push(default)

namespace popart {

enum class ReplicatedStreamMode {
  Broadcast = 0,  ///< all the same
  Replicate       ///< each its own
};

std::ostream& operator<<(std::ostream& os, const ReplicatedStreamMode& mode);

}  // namespace popart

#pragma GCC visibility pop

#endif
