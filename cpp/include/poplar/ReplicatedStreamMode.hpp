// poplar/ReplicatedStreamMode.hpp: what a host stream gives each replica.
#ifndef poplar_ReplicatedStreamMode_hpp
#define poplar_ReplicatedStreamMode_hpp

#pragma GCC visibility push(default)

namespace poplar {

enum class ReplicatedStreamMode { REPLICATE, BROADCAST };

}  // namespace poplar

#pragma GCC visibility pop

#endif
