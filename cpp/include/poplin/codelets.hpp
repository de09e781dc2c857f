// Registration of the library's codelets. After poplin/codelets.hpp of PopLibs 3.
#ifndef poplin_codelets_hpp
#define poplin_codelets_hpp

#include <poplar/Graph.hpp>

#pragma GCC visibility push(default)
namespace poplin {

/// Does nothing: the library uses bulk vertices, which every graph knows. It exists for programs
/// written for hardware, which must call it.
void addCodelets(poplar::Graph& graph);

}  // namespace poplin
#pragma GCC visibility pop

#endif
