// Operators of libraries and programs that consist of others.
#ifndef popir_popart_patterns_composed_hpp
#define popir_popart_patterns_composed_hpp

#include <popart/op.hpp>

#pragma GCC visibility push(default)

namespace popir {

/// Puts what a gradient of an element-wise operator, or another one of PopART's classes that the
/// compiler has no operator for, consists of in its place. Returns whether the operator is one.
bool takeApart(popart::Op* op);

}  // namespace popir

#pragma GCC visibility pop

#endif
