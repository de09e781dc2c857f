// Initial tile mappings of variables. After poplar/VariableMappingMethod.hpp of the Poplar SDK 3.
#ifndef poplar_VariableMappingMethod_hpp
#define poplar_VariableMappingMethod_hpp

#pragma GCC visibility push(default)

namespace poplar {

/// NONE: no mapping; the caller sets one. LINEAR: distributed evenly over the tiles, in order.
enum class VariableMappingMethod { NONE, LINEAR };

}  // namespace poplar

#pragma GCC visibility pop

#endif
