// popnn/codelets.hpp: as in PopLibs, for sources that call it.
#ifndef popnn_codelets_hpp
#define popnn_codelets_hpp

#include <poplar/Graph.hpp>

#pragma GCC visibility push(default)
namespace popnn {

/// Makes the vertices of popnn known to `graph`: they always are, so nothing changes.
void addCodelets(poplar::Graph& graph);

}  // namespace popnn
#pragma GCC visibility pop

#endif
