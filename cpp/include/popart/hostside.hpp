// popart/hostside.hpp: what of PopART runs on the host side of a session, and how popir refuses it.
#ifndef popart_hostside_hpp
#define popart_hostside_hpp

#pragma GCC visibility push(default)

namespace popart {
namespace hostside {

/// popir builds and runs models from Python alone. The classes of PopART's own C++ programs are
/// declared, so that files with operators and a main() compile; what would build or run calls this.
/// \throws error that names `function` and says where to do it instead.
[[noreturn]] void refuse(const char* function);

}  // namespace hostside
}  // namespace popart

#pragma GCC visibility pop

#endif
