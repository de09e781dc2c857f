// Tensors that are concatenations of whole variables.
#ifndef popir_engine_plan_concat_hpp
#define popir_engine_plan_concat_hpp

#include <optional>

#include "engine/plan/plan.hpp"

namespace popir {

/// The variables of which a tensor is the concatenation. Each must be whole, in its own element
/// order, and occur once. A tensor of a single variable must also have the variable's shape.
/// Nothing for any other tensor.
std::optional<Concat> concatOf(const GraphImpl& graph, const poplar::Tensor& t);

/// Whether a layout in blocks of channels is possible for a concatenation that `t` shows. Several
/// variables must be joined along the channels: `t` is [1, channels, field...], and each variable
/// is [1, some of the channels, field...]. A single variable may be [n, channels, field...].
bool alongChannels(const GraphImpl& graph, const Concat& concat, const poplar::Tensor& t);

}  // namespace popir

#endif
