// poplar/VariableMappingMethod.hpp: how a new variable is laid over tiles.
#ifndef poplar_VariableMappingMethod_hpp
#define poplar_VariableMappingMethod_hpp

#pragma GCC visibility push(default)

namespace poplar {

/// NONE leaves the mapping to the caller; LINEAR spreads it evenly, in order.
enum class VariableMappingMethod { NONE, LINEAR };

}  // namespace poplar

#pragma GCC visibility pop

#endif
