// The device's 16-bit float type, IEEE 754 binary16, as codelets name it.
// After poplar/HalfFloat.hpp of the Poplar SDK 3.
#ifndef poplar_HalfFloat_hpp
#define poplar_HalfFloat_hpp

#include <popir/Half.hpp>

using half = popir::Half;

namespace poplar {
using ::half;
}

#endif
