// Reductions of a tensor over some of its dimensions. After popops/Reduce.hpp of PopLibs 3.
#ifndef popops_Reduce_hpp
#define popops_Reduce_hpp

#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/Operation.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace popops {

/// The operation, and how to write the output.
struct ReduceParams {
  ReduceParams() = default;
  // Implicit, so that an Operation can be passed directly.
  ReduceParams(popops::Operation op, bool update = false) : op(op), update(update) {}
  ReduceParams(popops::Operation op, bool update, poplar::Tensor scale)
      : op(op), update(update), useScale(true), scale(std::move(scale)) {}
  /// A scale must be a tensor, not a constant.
  ReduceParams(popops::Operation op, float constantScale, bool update = false) = delete;

  popops::Operation op = Operation::ADD;
  /// If true, out += result, else out = result. For ADD, SQUARE_ADD and LOG_ADD only. With LOG_ADD,
  /// out = log(exp(out) + exp(result)).
  bool update = false;
  bool useScale = false;
  /// One FLOAT element that multiplies the result. With LOG_ADD it is added to the result.
  poplar::Tensor scale;
};

/// Returns a new tensor: `in` reduced over the dimensions `dims`. The remaining dimensions keep
/// their order. `dims` lists each dimension at most once, in any order. If it is empty, each
/// element is reduced by itself. For example, ADD over dims {0} of a [2, 3] tensor gives the 3
/// column sums.
///
/// Sums and products are computed in the type of `in`; for HALF in float. Sums are pairwise, in an
/// order that depends on the shape only, so results do not depend on the number of threads. MIN and
/// MAX give NaN if an element is NaN. An empty reduction gives the neutral element: 0 for sums, 1
/// for MUL, true for LOGICAL_AND, false for LOGICAL_OR, the largest value of the type (or infinity)
/// for MIN, the smallest (or -infinity) for MAX, -infinity for LOG_ADD.
///
/// \param in FLOAT, HALF, BFLOAT16, DOUBLE, or 32- or 64-bit integers; MIN and MAX take all
/// integers; LOGICAL_AND and LOGICAL_OR take BOOL only; LOG_ADD takes floating point only
/// \param outType the type of `in` (default), or FLOAT for HALF, or HALF for FLOAT
/// \param options see `popir options`, popops.reduce
/// \throws poputil::poplibs_error for a dimension that does not exist or occurs twice, and for
/// types or parameters that the operation does not support
poplar::Tensor reduce(poplar::Graph& graph, const poplar::Tensor& in, const poplar::Type& outType,
                      const std::vector<std::size_t>& dims, ReduceParams params,
                      poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {});
poplar::Tensor reduce(poplar::Graph& graph, const poplar::Tensor& in,
                      const std::vector<std::size_t>& dims, ReduceParams params,
                      poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {});

/// The same, writing to `out`, which has the shape of the remaining dimensions.
void reduceWithOutput(poplar::Graph& graph, const poplar::Tensor& in, const poplar::Tensor& out,
                      const std::vector<std::size_t>& dims, ReduceParams params,
                      poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {});

/// The same, added to compute sets that the caller executes in order. Uses one compute set: the
/// first of `css`, which is created if `css` is empty.
poplar::Tensor reduce(poplar::Graph& graph, const poplar::Tensor& in, const poplar::Type& outType,
                      const std::vector<std::size_t>& dims, ReduceParams params,
                      std::vector<poplar::ComputeSet>& css,
                      const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {});
poplar::Tensor reduce(poplar::Graph& graph, const poplar::Tensor& in,
                      const std::vector<std::size_t>& dims, ReduceParams params,
                      std::vector<poplar::ComputeSet>& css,
                      const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {});
void reduceWithOutput(poplar::Graph& graph, const poplar::Tensor& in, const poplar::Tensor& out,
                      const std::vector<std::size_t>& dims, ReduceParams params,
                      std::vector<poplar::ComputeSet>& css,
                      const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {});

/// One reduction of reduceMany().
struct SingleReduceOp {
  poplar::Tensor in;
  std::vector<std::size_t> dims;
  ReduceParams params;
  bool useOutType;
  poplar::Type outType;
  std::string debugName;

  SingleReduceOp(poplar::Tensor in, std::vector<std::size_t> dims, ReduceParams params,
                 poplar::Type outType, std::string debugName = "")
      : in(std::move(in)),
        dims(std::move(dims)),
        params(std::move(params)),
        useOutType(true),
        outType(outType),
        debugName(std::move(debugName)) {}
  SingleReduceOp(poplar::Tensor in, std::vector<std::size_t> dims, ReduceParams params,
                 std::string debugName = "")
      : in(std::move(in)),
        dims(std::move(dims)),
        params(std::move(params)),
        useOutType(false),
        outType(poplar::BOOL),
        debugName(std::move(debugName)) {}
};

/// Runs several reductions in one compute set. `outputs` has one tensor per reduction, or is empty
/// and receives new tensors.
void reduceMany(poplar::Graph& graph, const std::vector<SingleReduceOp>& reductions,
                std::vector<poplar::Tensor>& outputs, poplar::program::Sequence& prog,
                const poplar::DebugContext& debugContext = {},
                const poplar::OptionFlags& options = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
