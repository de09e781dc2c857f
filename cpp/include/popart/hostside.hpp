// Refusal of PopART's host-side functions. popir's own.
#ifndef popart_hostside_hpp
#define popart_hostside_hpp

#pragma GCC visibility push(default)

namespace popart {
namespace hostside {

/// popir builds and runs models from Python only. PopART's classes for C++ programs are declared,
/// so that sources with operators and a main() compile. Their functions that build or run call
/// this.
/// \throws error that names `function` and says what to use instead
[[noreturn]] void refuse(const char* function);

}  // namespace hostside
}  // namespace popart

#pragma GCC visibility pop

#endif
