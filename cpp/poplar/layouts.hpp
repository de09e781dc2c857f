// Which variables lie side by side, and which in blocks of channels: chosen once all homes are
// known to be in the arena or not, before they get their offsets.
#ifndef popir_poplar_layouts_hpp
#define popir_poplar_layouts_hpp

#include <optional>
#include <vector>

#include "poplar/plan.hpp"

namespace popir {

/// Variables that lie one after the other without gaps.
using Row = std::vector<unsigned>;

/// The variables that a tensor shows one after the other, each whole and in its own order. Of one
/// variable: in its own shape. Nothing if it shows anything else.
std::optional<Row> rowOf(const GraphImpl& graph, const poplar::Tensor& t);

/// Whether a row may lie in blocks of channels under the shape of `t`: [1, channels, field...],
/// each variable some of the channels, or [n, channels, field...] of one variable.
bool alongChannels(const GraphImpl& graph, const Row& row, const poplar::Tensor& t);

/// Rows such that joined tensors, concatenated activations above all, lie in one piece. Each
/// variable of the arena is in one row at most.
std::vector<Row> chooseRows(const GraphImpl& graph, const std::vector<FlatProgram>& programs,
                            const Placement& placement);

/// Sets the homes' channel blocks, so that the layout that contractions prefer lasts between them:
/// variables tied by element-wise kernels, or read as one row, take one block, if every use of
/// every one of them accepts it.
void chooseBlocks(const GraphImpl& graph, const std::vector<FlatProgram>& programs,
                  const std::vector<Row>& rows, unsigned threads, Placement& placement);

}  // namespace popir

#endif
