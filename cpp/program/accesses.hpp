// The variables that a program reads and writes, and a check that it uses a single graph.
#ifndef popir_program_accesses_hpp
#define popir_program_accesses_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <set>

#include "poplar/graph_impl.hpp"

namespace popir {

/// Variables that a program may read and write, in any of its branches.
struct ProgramAccesses {
  std::set<unsigned> reads, writes;
};
__attribute__((visibility("default"))) ProgramAccesses programAccesses(
    const poplar::Graph& graph, const poplar::program::Program& program);

/// \throws poplar::graph_connection_error if a program uses something of another graph; the message
/// names it.
void requireGraph(const GraphImpl& graph, const ProgramNode& program);

}  // namespace popir

#endif
