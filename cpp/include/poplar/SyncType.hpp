// Kinds of synchronization. After poplar/SyncType.hpp of the Poplar SDK 3.
#ifndef poplar_SyncType_hpp
#define poplar_SyncType_hpp

namespace poplar {

/// Between the tiles of an IPU, between IPUs, or with the host too.
enum class SyncType { INTERNAL, EXTERNAL, GLOBAL };

}  // namespace poplar

#endif
