// Vertices of user codelets, as stored in a graph.
#ifndef popir_poplar_user_vertex_hpp
#define popir_poplar_user_vertex_hpp

#include <popir/Codelet.hpp>
#include <poplar/Tensor.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace popir {

class GraphImpl;

/// The contents of a field: one tensor per edge, or values.
struct FieldContent {
  std::vector<poplar::Tensor> tensors;   // invalid tensors are not connected yet
  std::vector<poplar::Tensor> metadata;  // of tensors of QUARTER, in the same order
  std::vector<unsigned char> values;     // with the field's element type
  bool sized = false, valued = false;
};

struct UserVertex {
  std::shared_ptr<const Codelet> codelet;  // keeps the code loaded
  unsigned computeSet = 0;
  std::optional<unsigned> tile;
  std::uint64_t cycles = 0, flops = 0;
  bool estimated = false;
  bool byEstimator = false;          // the estimator was called when the graph was saved
  std::vector<FieldContent> fields;  // in the order of the codelet's fields
};

/// Checks that all vertices of a compute set are complete. Called when an engine is created.
/// \throws poplar::graph_connection_error if a field is not connected
/// \throws poplar::invalid_tile_mapping if a vertex has no tile
void checkComplete(const GraphImpl& graph, unsigned computeSet);

/// "vertex 'Rotate<float>' (number 3)", for error messages.
std::string vertexText(const GraphImpl& graph, unsigned vertex);

}  // namespace popir

#endif
