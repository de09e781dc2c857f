// popart/popx/executablex.hpp: a compiled model. popir's is in Python; here it has only a name.
#ifndef popart_popx_executablex_hpp
#define popart_popx_executablex_hpp

namespace popart {
namespace popx {
class Executablex;
}
}  // namespace popart

#endif
