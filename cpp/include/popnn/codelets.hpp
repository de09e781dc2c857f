// Registration of the library's codelets. After popnn/codelets.hpp of PopLibs 3.
#ifndef popnn_codelets_hpp
#define popnn_codelets_hpp

#include <poplar/Graph.hpp>

#pragma GCC visibility push(default)
namespace popnn {

/// Does nothing: every graph knows the vertices of popnn that programs name,
/// ReduceMaxClassSparse and ReduceMinClassSparse, compiled when the first is added.
void addCodelets(poplar::Graph& graph);

}  // namespace popnn
#pragma GCC visibility pop

#endif
