// The variables that a program writes, and a check that it uses a single graph.
#ifndef popir_program_accesses_hpp
#define popir_program_accesses_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <set>

#include "poplar/graph_impl.hpp"

namespace popir {

/// True if two tensors of one shape show whole variables that one rule maps to tiles. Computes no
/// plan: rules that give the same tiles by chance differ.
__attribute__((visibility("default"))) bool mappedAlike(const poplar::Tensor& a,
                                                        const poplar::Tensor& b);

/// The variables that a program may write, in any of its branches.
__attribute__((visibility("default"))) std::set<unsigned> programWrites(
    const poplar::Graph& graph, const poplar::program::Program& program);

/// \throws poplar::graph_connection_error if a program uses something of another graph; the message
/// names it.
void requireGraph(const GraphImpl& graph, const ProgramNode& program);

}  // namespace popir

#endif
