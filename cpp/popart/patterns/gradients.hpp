// Gradients of element-wise operators that libraries and programs make.
#ifndef popir_popart_patterns_gradients_hpp
#define popir_popart_patterns_gradients_hpp

#include <popart/op.hpp>

#pragma GCC visibility push(default)

namespace popir {

/// Puts what a gradient of an element-wise operator consists of in its place. Returns whether the
/// operator is one.
bool takeGradientApart(popart::Op* op);

}  // namespace popir

#pragma GCC visibility pop

#endif
