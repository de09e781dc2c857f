// Histograms. After popops/GatherStatistics.hpp of PopLibs 3.
#ifndef popops_GatherStatistics_hpp
#define popops_GatherStatistics_hpp

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <string>

#pragma GCC visibility push(default)
namespace popops {

/// How many elements of `input` are below levels[0], from levels[0] on below levels[1], and so on,
/// and from the last level on: a vector with one element more than `levels`, which ascend. With
/// `absoluteOfInput` it counts their absolute values. `input` and `levels` are of one type, FLOAT or
/// HALF. The result is UNSIGNED_INT, or FLOAT with the option useFloatArithmetic ("true" or
/// "false"). useFloatArithmeticWithUnsignedIntOutput has no effect: counts are exact.
/// \throws poputil::poplibs_error for other shapes and types
/// \throws poplar::invalid_option for other options, and for both at once
poplar::Tensor histogram(poplar::Graph& graph, const poplar::Tensor& input,
                         const poplar::Tensor& levels, bool absoluteOfInput,
                         poplar::program::Sequence& prog,
                         const poplar::DebugContext& debugContext = {},
                         const poplar::OptionFlags& options = {});

/// Writes the histogram to `output`, UNSIGNED_INT or FLOAT, or adds it with `updateOutput`.
void histogram(poplar::Graph& graph, const poplar::Tensor& input, poplar::Tensor& output,
               bool updateOutput, const poplar::Tensor& levels, bool absoluteOfInput,
               poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
               const poplar::OptionFlags& options = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
