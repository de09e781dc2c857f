// popart/op/builtin.hpp: what the classes of popart/op/ have in common.
//
// Each stands for an operator of the compiler: C++ code meets such operators as objects of these
// classes, and an object that C++ code makes becomes the compiler's own when a graph takes it. A
// class that derives from one has its setup(), aliases and inputs, and brings its own lowering.
#ifndef popart_op_builtin_hpp
#define popart_op_builtin_hpp

#include <popart/op.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace builtin {

/// What getGradOps() of these classes does: the gradient is the compiler's, so a class that derives
/// and can be trained has to say its own. \throws error that says so.
[[noreturn]] void refuseGradient(const Op& op);

}  // namespace builtin
}  // namespace popart

#pragma GCC visibility pop

#endif
