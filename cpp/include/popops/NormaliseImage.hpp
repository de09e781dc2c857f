// Images of three channels, normalised and padded to four. After popops/NormaliseImage.hpp of
// PopLibs 3.
#ifndef popops_NormaliseImage_hpp
#define popops_NormaliseImage_hpp

#include <poplar/ArrayRef.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>

#pragma GCC visibility push(default)
namespace popops {

/// Creates an image: the last of the dimensions `shape` is that of the three channels.
/// \throws poputil::poplibs_error for another number of channels, and for a type that is not
/// UNSIGNED_CHAR, HALF or FLOAT
poplar::Tensor createNormaliseImageInput(poplar::Graph& graph, const poplar::Type& type,
                                         const poplar::ArrayRef<std::size_t> shape,
                                         const poplar::DebugContext& debugContext = {});

/// (tIn * inScale - offsets) * scales for each channel, the last dimension, and a fourth channel of
/// zeros. The result is HALF for UNSIGNED_CHAR, otherwise of the type of `tIn`; `offsets` and
/// `scales` are of the type of the result, [3].
/// \throws poputil::poplibs_error for other shapes and types
poplar::Tensor normaliseImage(poplar::Graph& graph, poplar::program::Sequence& seq,
                              poplar::Tensor tIn, float inScale, poplar::Tensor offsets,
                              poplar::Tensor scales, const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
