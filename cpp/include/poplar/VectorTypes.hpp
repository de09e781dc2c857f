// Short vectors for codelets: element access by index, element-wise arithmetic, comparisons that
// give integer vectors, members (`v.x`); with clang, swizzles (`v.xy`) too.
// After poplar/VectorTypes.hpp and ipudef.h of the Poplar SDK 3.
#ifndef poplar_VectorTypes_hpp
#define poplar_VectorTypes_hpp

#include <popir/ShortVectors.hpp>

using popir::char2;
using popir::char4;
using popir::float2;
using popir::float4;
using popir::half2;
using popir::half4;
using popir::half8;
using popir::int2;
using popir::int4;
#ifndef POPIR_OF_TILE
using popir::long2;
using popir::long4;
#else
// A tile's long has 32 bits, and vectors of them are what comparisons of floats give. They are types of
// their own beside those of int.
struct long2 {
  popir::int2 all;
  long2() = default;
  constexpr long2(popir::int2 v) : all(v) {}
  int operator[](unsigned i) const { return all[i]; }
};
struct long4 {
  popir::int4 all;
  long4() = default;
  constexpr long4(popir::int4 v) : all(v) {}
  int operator[](unsigned i) const { return all[i]; }
};
#endif
using popir::longlong2;
using popir::longlong4;
using popir::short2;
using popir::short4;
using popir::uchar2;
using popir::uchar4;
using popir::uint2;
using popir::uint4;
using popir::ushort2;
using popir::ushort4;

namespace poplar {
using popir::half2;
using popir::half4;
}  // namespace poplar

#endif
