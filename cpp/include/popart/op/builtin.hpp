// Helpers of the operator classes in popart/op/. popir's own.
//
// Each of these classes represents an operator of the compiler. C++ code sees the compiler's
// operators as objects of these classes. An object created in C++ becomes an operator of the
// compiler when it is added to a graph. A derived class inherits setup(), aliases and inputs, and
// must provide its own lowering.
#ifndef popart_op_builtin_hpp
#define popart_op_builtin_hpp

#include <popart/op.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace builtin {

/// The getGradOps() of these classes. The gradient of a built-in operator is the compiler's, so a
/// derived class that supports training must override getGradOps().
/// \throws error that says so
[[noreturn]] void refuseGradient(const Op& op);

/// The setup() of classes whose rule of shapes and types is the compiler's.
/// \throws error for an operator of a derived class, which has to override setup(), and for one that
/// is not in a graph
void setup(Op& op);

/// For setters: gives the object's attributes to the compiler's operator, if there is one.
/// \throws error for such an operator if what is set is no attribute of it, but an input
void changed(Op& op, bool isAttribute = true);

}  // namespace builtin
}  // namespace popart

#pragma GCC visibility pop

#endif
