// poplar/HalfFloat.hpp: the 16-bit float of the device, IEEE 754 binary16.
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
