// Bulk vertices: the work that library functions add to a graph.
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

/// A host kernel on whole tensors, in place of the many vertices that PopLibs would add. The
/// machine model distributes its work over the tiles of its first written operand.
struct BulkVertex {
  std::shared_ptr<const Kernel> kernel;
  std::vector<BulkOperand> operands;
  std::string name;
  /// The tiles of the virtual graph to which it was added; null for all tiles.
  std::shared_ptr<const VirtualTiles> tiles;
  /// Constants that the vertices it stands for read from their tiles, and its kernel has as numbers.
  std::vector<poplar::Tensor> constants = {};
};

/// The rounding that the vertex supports.
Rounds roundsOf(const BulkVertex& vertex);

/// Adds a bulk vertex to a compute set. Operands may overlap only if they are the same view
/// (in-place).
/// \throws poplar::graph_connection_error if an operand is invalid, belongs to another graph, or is
/// written although it is constant or contains aliases
void addBulkVertex(poplar::Graph& graph, poplar::ComputeSet cs,
                   std::shared_ptr<const Kernel> kernel, std::vector<BulkOperand> operands,
                   std::string name, std::vector<poplar::Tensor> constants = {});

/// Adds a compute set with one bulk vertex, and appends its execution to `prog`.
void addBulkVertex(poplar::Graph& graph, poplar::program::Sequence& prog,
                   std::shared_ptr<const Kernel> kernel, std::vector<BulkOperand> operands,
                   const poplar::DebugContext& debugContext,
                   std::vector<poplar::Tensor> constants = {});

}  // namespace popir

#endif
