// poplin/codelets.hpp: makes the vertices of this library known to a graph.
#ifndef poplin_codelets_hpp
#define poplin_codelets_hpp

#include <poplar/Graph.hpp>

#pragma GCC visibility push(default)
namespace poplin {

/// The library's work is done by bulk vertices, which every graph knows: nothing is added. Programs
/// call this before they use poplin, as on hardware.
void addCodelets(poplar::Graph& graph);

}  // namespace poplin
#pragma GCC visibility pop

#endif
