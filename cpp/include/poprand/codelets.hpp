// Registration of the library's codelets. After poprand/codelets.hpp of PopLibs 3.
#ifndef poprand_codelets_hpp
#define poprand_codelets_hpp

#include <poplar/Graph.hpp>

#pragma GCC visibility push(default)
namespace poprand {

/// Does nothing: every graph knows the vertices of poprand. It exists for programs written for
/// hardware.
void addCodelets(poplar::Graph& graph);

}  // namespace poprand
#pragma GCC visibility pop

#endif
