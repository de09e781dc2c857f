// What the vertices of one compute set read and write, element by element.
#ifndef popir_poplar_codelet_races_hpp
#define popir_poplar_codelet_races_hpp

#include <map>
#include <vector>

#include "poplar/graph_impl.hpp"

namespace popir {

/// Variables that the codelets of a compute set use, and how: Write only if every element is
/// written and none read.
/// \throws poplar::graph_program_compilation_error if a vertex writes what another one of the set
///         reads or writes, library functions' vertices among them.
std::map<unsigned, Access> codeletAccesses(const GraphImpl& graph, unsigned computeSet);

}  // namespace popir

#endif
