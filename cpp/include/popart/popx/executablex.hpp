// A compiled model, declared only. popir's are in Python.
// After popart/popx/executablex.hpp of PopART 3.
#ifndef popart_popx_executablex_hpp
#define popart_popx_executablex_hpp

namespace popart {
namespace popx {
class Executablex;
}
}  // namespace popart

#endif
