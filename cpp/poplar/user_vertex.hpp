// A vertex of a user's codelet, as the graph keeps it.
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

/// What a field was given: a tensor for each of its edges, or values.
struct FieldContent {
  std::vector<poplar::Tensor> tensors;  // invalid ones are yet to be connected
  std::vector<unsigned char> values;    // of the field's element type
  bool sized = false, valued = false;
};

struct UserVertex {
  std::shared_ptr<const Codelet> codelet;  // keeps its code loaded
  unsigned computeSet = 0;
  std::optional<unsigned> tile;
  std::uint64_t cycles = 0, flops = 0;
  bool estimated = false;
  bool byEstimator = false;          // that was asked when the graph was saved
  std::vector<FieldContent> fields;  // as the codelet's
};

/// What every vertex of a compute set must have before an engine is made.
/// \throws poplar::graph_connection_error if a field has nothing, poplar::invalid_tile_mapping if
///         a vertex has no tile.
void checkComplete(const GraphImpl& graph, unsigned computeSet);

/// "vertex 'Rotate<float>' (number 3)", for errors.
std::string vertexText(const GraphImpl& graph, unsigned vertex);

}  // namespace popir

#endif
