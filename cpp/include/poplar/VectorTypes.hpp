// poplar/VectorTypes.hpp: short vectors, as the host's compiler knows them.
#ifndef poplar_VectorTypes_hpp
#define poplar_VectorTypes_hpp

#include <poplar/HalfFloat.hpp>

/// Elements by index, arithmetic by element; `float2 v = {1, 2}`.
#define POPIR_VECTORS(ELEMENT, NAME)                                             \
  using NAME##2 = ELEMENT __attribute__((__vector_size__(2 * sizeof(ELEMENT)))); \
  using NAME##4 = ELEMENT __attribute__((__vector_size__(4 * sizeof(ELEMENT))));
POPIR_VECTORS(float, float)
POPIR_VECTORS(half, half)
POPIR_VECTORS(char, char)
POPIR_VECTORS(unsigned char, uchar)
POPIR_VECTORS(short, short)
POPIR_VECTORS(unsigned short, ushort)
POPIR_VECTORS(int, int)
POPIR_VECTORS(unsigned, uint)
#undef POPIR_VECTORS

namespace poplar {
using ::half2;
using ::half4;
}  // namespace poplar

#endif
