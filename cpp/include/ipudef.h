// Types of a tile: short vectors, the counter of a hardware loop, the literal suffix _h.
// After ipudef.h of the Poplar SDK 3.
#ifndef popir_ipudef_h
#define popir_ipudef_h

#include <poplar/VectorTypes.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

#ifdef __IPU__
#include <poplar/Loops.hpp>

constexpr half operator""_h(long double x) { return static_cast<half>(x); }
#endif

#endif
