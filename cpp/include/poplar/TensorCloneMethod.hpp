// Layouts of Graph::clone. After poplar/TensorCloneMethod.hpp of the Poplar SDK 3.
#ifndef poplar_TensorCloneMethod_hpp
#define poplar_TensorCloneMethod_hpp

#pragma GCC visibility push(default)

namespace poplar {

/// Orders in memory of what Graph::clone() makes, which says more.
enum class TensorCloneMethod {
  PRESERVE_ORDER_AND_ALIASES,
  CREATE_NEW_ORDER,
  PRESERVE_ORDER_UNLESS_ALIASES,
  GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES
};

/// How the clones of Graph::cloneN() lie in memory: each for itself, or beside each other, each run
/// of elements on one tile N times.
enum class TensorCloneDuplicationMethod {
  DUPLICATE_BY_OUTER_DIMENSION,
  DUPLICATE_BY_TILE_CONTIGUOUS_REGION
};

}  // namespace poplar

#pragma GCC visibility pop

#endif
