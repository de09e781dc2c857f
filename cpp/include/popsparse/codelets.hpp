// After popsparse/codelets.hpp of PopLibs 3.
#ifndef popsparse_codelets_hpp
#define popsparse_codelets_hpp

#include <poplar/Graph.hpp>

#pragma GCC visibility push(default)
namespace popsparse {

/// Has nothing to add: no function of popsparse needs a codelet here.
void addCodelets(poplar::Graph& graph);

}  // namespace popsparse
#pragma GCC visibility pop

#endif
