// Short vectors for codelets, by the host compiler's vector extension.
// After poplar/VectorTypes.hpp of the Poplar SDK 3.
#ifndef poplar_VectorTypes_hpp
#define poplar_VectorTypes_hpp

#include <poplar/HalfFloat.hpp>

/// Element access by index, element-wise arithmetic: `float2 v = {1, 2}`.
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
