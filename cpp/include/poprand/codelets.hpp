// poprand/codelets.hpp: as in PopLibs, for sources that call it.
#ifndef poprand_codelets_hpp
#define poprand_codelets_hpp

#include <poplar/Graph.hpp>

#pragma GCC visibility push(default)
namespace poprand {

/// Makes the vertices of poprand known to `graph`: they always are, so nothing changes.
void addCodelets(poplar::Graph& graph);

}  // namespace poprand
#pragma GCC visibility pop

#endif
