// After popfloat/experimental/codelets.hpp of PopLibs 3.
#ifndef popfloat_experimental_codelets_hpp
#define popfloat_experimental_codelets_hpp

#include <poplar/Graph.hpp>

#pragma GCC visibility push(default)

namespace popfloat {
namespace experimental {

/// Does nothing: casts need no codelets here.
void addCodelets(poplar::Graph& graph);

}  // namespace experimental
}  // namespace popfloat

#pragma GCC visibility pop

#endif
