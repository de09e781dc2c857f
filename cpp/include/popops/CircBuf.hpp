// A circular buffer of tensors. After popops/CircBuf.hpp of PopLibs 3.
#ifndef popops_CircBuf_hpp
#define popops_CircBuf_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace popops {

/// Keeps the tensors that were added last. It begins at index 0, with contents that are not defined.
class CircBuf {
 public:
  /// For `size` tensors of a type and shape.
  /// \throws poputil::poplibs_error for a size of 0
  CircBuf(poplar::Graph& graph, const poplar::Type& dataType, unsigned size,
          const std::vector<std::size_t>& shape, const poplar::DebugContext& debugContext = {});

  /// The tensor that was added `i` tensors before the last one.
  /// \throws poputil::poplibs_error unless i < size()
  poplar::Tensor prev(unsigned i, poplar::program::Sequence& seq,
                      const poplar::DebugContext& debugContext = {});
  /// Adds a tensor, in place of the oldest one if there are size() already.
  void add(poplar::Tensor t, poplar::program::Sequence& seq,
           const poplar::DebugContext& debugContext = {});

  /// The place of the last tensor, UNSIGNED_INT [1].
  poplar::Tensor getIndex() const { return index_; }
  unsigned size() const { return size_; }
  /// The tile mapping of what prev() returns.
  poplar::Graph::TileToTensorMapping getTileMapping();

 private:
  poplar::Graph& graph_;
  unsigned size_;
  poplar::Tensor index_, all_;  // [1], [size, shape...]
};

}  // namespace popops
#pragma GCC visibility pop

#endif
