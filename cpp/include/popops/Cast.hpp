// popops/Cast.hpp: tensors of one type as tensors of another.
#ifndef popops_Cast_hpp
#define popops_Cast_hpp

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <poplar/Program.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace popops {

/// A new tensor of the values of `src`, element by element. All pairs of types but QUARTER:
/// - to floating point: the nearest value, ties to even;
/// - floating point to integer: towards zero; out of range the nearest integer of the type; NaN 0;
/// - integer to integer: modulo 2 to the number of bits;
/// - to BOOL: whether the value is not zero (NaN is not); from BOOL: 0 and 1.
/// \throws poputil::poplibs_error for QUARTER and, where two tensors are given, different shapes.
poplar::Tensor cast(poplar::Graph& graph, const poplar::Tensor& src, const poplar::Type& dstType,
                    poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
/// The same into `dst`.
void castWithOutput(poplar::Graph& graph, const poplar::Tensor& src, const poplar::Tensor& dst,
                    poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {});
/// The same as a program of its own.
poplar::program::Program cast(poplar::Graph& graph, poplar::Tensor src, poplar::Tensor dst,
                              const poplar::DebugContext& debugContext = {});
/// The same in a compute set of the caller's.
void cast(poplar::Graph& graph, poplar::Tensor src, poplar::Tensor dst, poplar::ComputeSet cs);
poplar::Tensor cast(poplar::Graph& graph, poplar::Tensor src, const poplar::Type& dstType,
                    poplar::ComputeSet cs, const poplar::DebugContext& debugContext = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
