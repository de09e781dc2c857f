// The device's 16-bit float type, IEEE 754 binary16.
// After poplar/HalfFloat.hpp of the Poplar SDK 3.
#ifndef poplar_HalfFloat_hpp
#define poplar_HalfFloat_hpp

#include <limits>

#pragma GCC visibility push(default)

using half = _Float16;

namespace poplar {
using ::half;
}

#pragma GCC visibility pop

#endif
