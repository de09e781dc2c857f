// What the vertices of one compute set read and write, element by element.
#ifndef popir_program_codelet_races_hpp
#define popir_program_codelet_races_hpp

#include <map>
#include <vector>

#include "poplar/graph_impl.hpp"

namespace popir {

/// The variables that the codelets of a compute set use, and their access. The access is Write only
/// if every element is written and none is read.
/// \throws poplar::graph_program_compilation_error if a vertex writes an element that another
///         vertex of the set reads or writes. Vertices of library functions count too.
std::map<unsigned, Access> codeletAccesses(const GraphImpl& graph, unsigned computeSet);

}  // namespace popir

#endif
