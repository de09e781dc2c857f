// Conversion of tensors to another element type. After popops/Cast.hpp of PopLibs 3.
#ifndef popops_Cast_hpp
#define popops_Cast_hpp

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace popops {

/// Returns a new tensor with the elements of `src` converted to another type. All pairs of types
/// except QUARTER:
/// - to floating point: the nearest value, ties to even;
/// - floating point to integer: truncated, clamped to the range of the type; NaN gives 0;
/// - integer to integer: modulo 2^bits;
/// - to BOOL: x != 0 (true for NaN); from BOOL: 0 and 1.
/// \throws poputil::poplibs_error for QUARTER, and if `src` and `dst` differ in shape
poplar::Tensor cast(poplar::Graph& graph, const poplar::Tensor& src, const poplar::Type& dstType,
                    poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
/// The same, writing to `dst`.
void castWithOutput(poplar::Graph& graph, const poplar::Tensor& src, const poplar::Tensor& dst,
                    poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
/// The same, returned as a program.
poplar::program::Program cast(poplar::Graph& graph, poplar::Tensor src, poplar::Tensor dst,
                              const poplar::DebugContext& debugContext = {});
/// The same, added to a given compute set.
void cast(poplar::Graph& graph, poplar::Tensor src, poplar::Tensor dst, poplar::ComputeSet cs);
poplar::Tensor cast(poplar::Graph& graph, poplar::Tensor src, const poplar::Type& dstType,
                    poplar::ComputeSet cs, const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
