// Conversion of tensors to another element type. After popops/Cast.hpp of PopLibs 3.
#ifndef popops_Cast_hpp
#define popops_Cast_hpp

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace popops {

/// Returns a new tensor with the elements of `src` converted to another type. All pairs of types:
/// - to floating point: the nearest value, ties to even;
/// - floating point to integer: truncated, clamped to the range of the type; NaN gives 0;
/// - integer to integer: modulo 2^bits;
/// - to BOOL: x != 0 (true for NaN); from BOOL: 0 and 1;
/// - QUARTER to any other type, by way of FLOAT: the number times 2^scale, by its metadata;
/// - to QUARTER, by way of FLOAT, where `dst` or the call has metadata: the nearest number to
///   x / 2^scale, ties to even, NaN beyond the largest.
/// \throws poputil::poplibs_error if `src` and `dst` differ in shape, and in a compute set for casts
/// between QUARTER and a type other than FLOAT and HALF
/// \throws poplar::type_error for QUARTER without metadata
poplar::Tensor cast(poplar::Graph& graph, const poplar::Tensor& src, const poplar::Type& dstType,
                    poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
/// To QUARTER, `dstType`, with this metadata.
poplar::Tensor cast(poplar::Graph& graph, const poplar::Tensor& src, const poplar::Type& dstType,
                    const poplar::Tensor& metadata, poplar::program::Sequence& prog,
                    const poplar::DebugContext& debugContext = {});
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

/// A BOOL, []: whether the one element of `input`, FLOAT, differs from what HALF, `outputType`, makes
/// of it by less than `tolerance` times its size.
/// \throws poputil::poplibs_error for other types, and for another number of elements
poplar::Tensor checkAccuracyWhenCast(poplar::Graph& graph, const poplar::Tensor& input,
                                     poplar::Type outputType, double tolerance,
                                     poplar::program::Sequence& prog,
                                     const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
