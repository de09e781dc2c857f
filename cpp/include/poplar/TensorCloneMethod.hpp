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

}  // namespace poplar

#pragma GCC visibility pop

#endif
