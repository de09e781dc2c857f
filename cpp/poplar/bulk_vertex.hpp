// Bulk vertices: how a library function adds work to a graph.
#ifndef popir_poplar_bulk_vertex_hpp
#define popir_poplar_bulk_vertex_hpp

#include <poplar/Graph.hpp>

#include <memory>
#include <string>
#include <vector>

#include "kernels/kernel.hpp"

namespace popir {

struct BulkOperand {
  poplar::Tensor tensor;
  Access access;
};

/// One host kernel over whole tensors; stands for the vertices that PopLibs would add. Its work is
/// shared over the tiles that hold its first written operand.
struct BulkVertex {
  std::shared_ptr<const Kernel> kernel;
  std::vector<BulkOperand> operands;
  std::string name;
  /// Of the virtual graph that it was added to; null for all tiles.
  std::shared_ptr<const VirtualTiles> tiles;
};

/// What it makes of a rounding that is asked for.
Rounds roundsOf(const BulkVertex& vertex);

/// Adds a bulk vertex to a compute set.
/// Operands of one vertex may overlap only where they are the same view (work in place).
/// \throws poplar::graph_connection_error if an operand is invalid, of another graph, or written
///         while constant or aliased.
void addBulkVertex(poplar::Graph& graph, poplar::ComputeSet cs,
                   std::shared_ptr<const Kernel> kernel, std::vector<BulkOperand> operands,
                   std::string name);

/// The usual library call: a compute set with one bulk vertex, executed at the end of `prog`.
void addBulkVertex(poplar::Graph& graph, poplar::program::Sequence& prog,
                   std::shared_ptr<const Kernel> kernel, std::vector<BulkOperand> operands,
                   const poplar::DebugContext& debugContext);

}  // namespace popir

#endif
