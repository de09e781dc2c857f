// Copies sequences of rows between tensors. After popops/SequenceSlice.hpp of PopLibs 3.
#ifndef popops_SequenceSlice_hpp
#define popops_SequenceSlice_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace popops {

/// For each i, copies tN[i] rows of `tIn` from row tInOffset[i] on to `tOut` from row tOutOffset[i]
/// on. A row is what stands at one index of the first dimension; rows of both tensors have as many
/// elements. What lies outside of either tensor is not copied. With `zeroUnused` all rows of `tOut`
/// that are not written become zeros; otherwise they stay. No row of `tOut` may be written twice.
/// `tN`, `tInOffset` and `tOutOffset` are vectors of one length, INT or UNSIGNED_INT.
/// \throws poputil::poplibs_error for other shapes and types
void sequenceSlice(poplar::Graph& graph, const poplar::Tensor& tIn, const poplar::Tensor& tOut,
                   const poplar::Tensor& tN, const poplar::Tensor& tInOffset,
                   const poplar::Tensor& tOutOffset, bool zeroUnused,
                   poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
