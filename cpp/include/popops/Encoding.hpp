// popops/Encoding.hpp: integers in order, and integers as rows with a one.
//
// Operands that do not fit are a poputil::poplibs_error that says what was given.
#ifndef popops_Encoding_hpp
#define popops_Encoding_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/EncodingConstants.hpp>

#pragma GCC visibility push(default)
namespace popops {

/// Writes `on` to element indices[i] of row i of `encoded` and `off` elsewhere; 1 and 0 without
/// them. `indices` is [rows] of INT or UNSIGNED_INT, `encoded` [rows, columns] of any type; `on`
/// and `off` are single elements of its type. An index that is no column (MASKED_LABEL_CODE) leaves
/// its row `off`.
void encodeOneHot(poplar::Graph& graph, const poplar::Tensor& indices,
                  const poplar::Tensor& encoded, poplar::program::Sequence& prog,
                  const poplar::DebugContext& debugContext = {});
void encodeOneHot(poplar::Graph& graph, const poplar::Tensor& indices,
                  const poplar::Tensor& encoded, poplar::program::Sequence& prog,
                  const poplar::Tensor& on, const poplar::Tensor& off,
                  const poplar::DebugContext& debugContext = {});

/// Writes startInteger, startInteger + 1, ... to `t`, [elements] of INT or UNSIGNED_INT.
void iota(poplar::Graph& graph, const poplar::Tensor& t, unsigned startInteger,
          poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
void iota(poplar::Graph& graph, const poplar::Tensor& t, int startInteger,
          poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
