// Names of what a lowering makes. After popart/popx/debugcontextx.hpp of PopART 3.
#ifndef popart_popx_debugcontextx_hpp
#define popart_popx_debugcontextx_hpp

#include <poplar/DebugContext.hpp>

#endif
