// One-hot encoding, and sequences of integers. After popops/Encoding.hpp of PopLibs 3.
//
// \throws poputil::poplibs_error if shapes or types do not match
#ifndef popops_Encoding_hpp
#define popops_Encoding_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/EncodingConstants.hpp>

#pragma GCC visibility push(default)
namespace popops {

/// One-hot encoding. In row i of `encoded`, element indices[i] is set to `on` and all others to
/// `off` (1 and 0 by default). `indices` is [rows] of INT or UNSIGNED_INT. `encoded` is [rows,
/// columns] of any type. `on` and `off` are one element of that type. For an index out of range
/// (MASKED_LABEL_CODE) the whole row is `off`.
void encodeOneHot(poplar::Graph& graph, const poplar::Tensor& indices,
                  const poplar::Tensor& encoded, poplar::program::Sequence& prog,
                  const poplar::DebugContext& debugContext = {});
void encodeOneHot(poplar::Graph& graph, const poplar::Tensor& indices,
                  const poplar::Tensor& encoded, poplar::program::Sequence& prog,
                  const poplar::Tensor& on, const poplar::Tensor& off,
                  const poplar::DebugContext& debugContext = {});

/// Writes startInteger, startInteger + 1, ... to `t`, a vector of INT or UNSIGNED_INT.
void iota(poplar::Graph& graph, const poplar::Tensor& t, unsigned startInteger,
          poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
void iota(poplar::Graph& graph, const poplar::Tensor& t, int startInteger,
          poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
