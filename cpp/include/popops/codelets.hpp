// popops/codelets.hpp: kept for programs that call it; the kernels of popops are built in.
#ifndef popops_codelets_hpp
#define popops_codelets_hpp

#include <poplar/Graph.hpp>

namespace popops {

/// Makes the vertices of popops known to `graph`. They always are: nothing happens.
inline void addCodelets(poplar::Graph& graph) { (void)graph; }

}  // namespace popops

#endif
