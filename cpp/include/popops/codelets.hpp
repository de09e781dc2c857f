// Registration of the library's codelets. After popops/codelets.hpp of PopLibs 3.
#ifndef popops_codelets_hpp
#define popops_codelets_hpp

#include <poplar/Graph.hpp>

namespace popops {

/// Does nothing: every graph knows the vertices of popops. It exists for programs written for
/// hardware.
inline void addCodelets(poplar::Graph& graph) { (void)graph; }

}  // namespace popops

#endif
