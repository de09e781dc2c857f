// popops/Reduce.hpp: a tensor reduced over some of its dimensions.
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

/// What to do with the elements, and with the output.
struct ReduceParams {
  ReduceParams() = default;
  // Implicit: an Operation alone is enough.
  ReduceParams(popops::Operation op, bool update = false) : op(op), update(update) {}
  ReduceParams(popops::Operation op, bool update, poplar::Tensor scale)
      : op(op), update(update), useScale(true), scale(std::move(scale)) {}
  /// A constant is no scale: make it a tensor.
  ReduceParams(popops::Operation op, float constantScale, bool update = false) = delete;

  popops::Operation op = Operation::ADD;
  /// out += result in place of out = result. ADD, SQUARE_ADD and LOG_ADD only (LOG_ADD: out becomes
  /// log(exp(out) + exp(result))).
  bool update = false;
  bool useScale = false;
  /// One FLOAT element that the result is multiplied by (LOG_ADD: that is added to it).
  poplar::Tensor scale;
};

/// Reduces `in` over the dimensions `dims` (in any order, each once; none: every element on its
/// own) and gives a new tensor of the remaining dimensions, in their order.
///
/// Sums and products are formed in float for HALF, else in the type of `in`; sums pairwise, in an
/// order that depends on the shape alone, so that the number of threads does not change a bit.
/// MIN and MAX give NaN if an element is NaN. Nothing to reduce gives the neutral element: 0 for
/// sums, 1 for MUL, true for LOGICAL_AND, false for LOGICAL_OR, for MIN and MAX the largest and
/// smallest value of the type (plus and minus infinity), minus infinity for LOG_ADD.
///
/// \param in       FLOAT, HALF, DOUBLE, 32- or 64-bit integers; for MIN and MAX any integer type
///                 too; BOOL for LOGICAL_AND and LOGICAL_OR; LOG_ADD: floating point.
/// \param outType  the type of `in`, or FLOAT for HALF and HALF for FLOAT. Default: that of `in`.
/// \param options  those that `popir options` lists as popops.reduce.
/// \throws poputil::poplibs_error for a dimension that does not exist or is named twice,
/// and for
///         types or parameters that the operation does not take.
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

/// The same into `out`, whose shape is that of the remaining dimensions.
void reduceWithOutput(poplar::Graph& graph, const poplar::Tensor& in, const poplar::Tensor& out,
                      const std::vector<std::size_t>& dims, ReduceParams params,
                      poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {},
                      const poplar::OptionFlags& options = {});

/// The same, added to compute sets that the caller executes in order. One is used: the first, which
/// is added to `css` if there is none.
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

/// One reduction of several that run together.
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

/// Several reductions in one compute set. `outputs` is either empty, and gets one new tensor for
/// each reduction, or holds one output for each.
void reduceMany(poplar::Graph& graph, const std::vector<SingleReduceOp>& reductions,
                std::vector<poplar::Tensor>& outputs, poplar::program::Sequence& prog,
                const poplar::DebugContext& debugContext = {},
                const poplar::OptionFlags& options = {});

}  // namespace popops
#pragma GCC visibility pop

#endif
