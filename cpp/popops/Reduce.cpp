#include "kernels/reduction/reduce.hpp"

#include <algorithm>
#include <functional>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>
#include <sstream>

#include "poplar/bulk_vertex.hpp"
#include "poplar/library_options.hpp"

namespace popops {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::Type;

/// Adds the kernel and its operands to a program or a compute set.
using Add =
    std::function<void(std::shared_ptr<const popir::Kernel>, std::vector<popir::BulkOperand>)>;

[[noreturn]] void refuse(const std::string& why) {
  throw poputil::poplibs_error("popops::reduce: " + why);
}

std::vector<bool> reducedDimensions(const Tensor& in, const std::vector<std::size_t>& dims) {
  std::vector<bool> reduced(in.rank());
  for (const std::size_t d : dims) {
    if (d >= in.rank())
      refuse("dimension " + std::to_string(d) + " of a tensor of shape " + in.shapeToString() +
             "; give dimensions below " + std::to_string(in.rank()));
    if (reduced[d])
      refuse("dimension " + std::to_string(d) + " is named twice; name each dimension once");
    reduced[d] = true;
  }
  return reduced;
}

std::vector<std::size_t> keptShape(const Tensor& in, const std::vector<bool>& reduced) {
  std::vector<std::size_t> shape;
  for (std::size_t d = 0; d < reduced.size(); ++d)
    if (!reduced[d]) shape.push_back(in.dim(d));
  return shape;
}

void check(const Tensor& in, const Type& outType, const ReduceParams& params) {
  std::ostringstream name;
  name << params.op;
  if (!popir::ReduceKernel::supports(params.op, in.elementType(), outType))
    refuse(name.str() + " of " + in.elementType().toString() + " elements to " +
           outType.toString() +
           " is not supported; see popops/Reduce.hpp for the types of each "
           "operation, and cast");
  const bool sum = params.op == Operation::ADD || params.op == Operation::SQUARE_ADD ||
                   params.op == Operation::LOG_ADD;
  if ((params.update || params.useScale) && !sum)
    refuse(std::string(params.update ? "update" : "scale") + " goes with ADD, SQUARE_ADD and " +
           "LOG_ADD, not with " + name.str());
  if (params.useScale && (!params.scale.valid() || params.scale.numElements() != 1 ||
                          params.scale.elementType() != poplar::FLOAT))
    refuse("scale must be one FLOAT element; it is " +
           (params.scale.valid() ? params.scale.elementType().toString() + " of shape " +
                                       params.scale.shapeToString()
                                 : std::string("not a valid tensor")));
}

std::vector<std::size_t> withoutOnes(std::vector<std::size_t> shape) {
  shape.erase(std::remove(shape.begin(), shape.end(), std::size_t{1}), shape.end());
  return shape;
}

/// An output may have other dimensions of one element than the reduction leaves, as in PopLibs.
void reduceInto(const Tensor& in, Tensor out, const std::vector<std::size_t>& dims,
                const ReduceParams& params, const Add& add) {
  const auto reduced = reducedDimensions(in, dims);
  check(in, out.elementType(), params);
  const auto kept = keptShape(in, reduced);
  if (withoutOnes(out.shape()) != withoutOnes(kept))
    refuse("the output has shape " + out.shapeToString() + ", where reducing shape " +
           in.shapeToString() + " leaves another");
  out = out.reshape(kept);
  std::vector<popir::BulkOperand> operands = {
      {in, popir::Access::Read},
      {out, params.update ? popir::Access::ReadWrite : popir::Access::Write}};
  if (params.useScale) operands.push_back({params.scale.flatten(), popir::Access::Read});
  add(std::make_shared<popir::ReduceKernel>(params.op, reduced, params.update, params.useScale),
      std::move(operands));
}

Tensor reduceToNew(Graph& graph, const Tensor& in, const Type& outType,
                   const std::vector<std::size_t>& dims, const ReduceParams& params,
                   const DebugContext& debugContext, const Add& add) {
  if (params.update) refuse("update needs an output to add to; use reduceWithOutput");
  const Tensor out = graph.addVariable(outType, keptShape(in, reducedDimensions(in, dims)),
                                       {debugContext, "ReduceOutput"});
  poputil::mapTensorLinearly(graph, out);
  reduceInto(in, out, dims, params, add);
  return out;
}

Add toProgram(Graph& graph, poplar::program::Sequence& prog, const DebugContext& debugContext) {
  return [&](auto kernel, auto operands) {
    popir::addBulkVertex(graph, prog, kernel, std::move(operands), {debugContext, "Reduce"});
  };
}

Add toComputeSet(Graph& graph, std::vector<poplar::ComputeSet>& css,
                 const DebugContext& debugContext) {
  return [&](auto kernel, auto operands) {
    if (css.empty()) css.push_back(graph.addComputeSet({debugContext, "Reduce"}));
    popir::addBulkVertex(graph, css.front(), kernel, std::move(operands),
                         DebugContext(debugContext, "Reduce").getPathName());
  };
}

}  // namespace

Tensor reduce(Graph& graph, const Tensor& in, const Type& outType,
              const std::vector<std::size_t>& dims, ReduceParams params,
              poplar::program::Sequence& prog, const DebugContext& debugContext,
              const poplar::OptionFlags& options) {
  popir::checkLibraryOptions("popops::reduce", popir::Library::Reduce, options);
  return reduceToNew(graph, in, outType, dims, params, debugContext,
                     toProgram(graph, prog, debugContext));
}

Tensor reduce(Graph& graph, const Tensor& in, const std::vector<std::size_t>& dims,
              ReduceParams params, poplar::program::Sequence& prog,
              const DebugContext& debugContext, const poplar::OptionFlags& options) {
  return reduce(graph, in, in.elementType(), dims, params, prog, debugContext, options);
}

void reduceWithOutput(Graph& graph, const Tensor& in, const Tensor& out,
                      const std::vector<std::size_t>& dims, ReduceParams params,
                      poplar::program::Sequence& prog, const DebugContext& debugContext,
                      const poplar::OptionFlags& options) {
  popir::checkLibraryOptions("popops::reduceWithOutput", popir::Library::Reduce, options);
  reduceInto(in, out, dims, params, toProgram(graph, prog, debugContext));
}

Tensor reduce(Graph& graph, const Tensor& in, const Type& outType,
              const std::vector<std::size_t>& dims, ReduceParams params,
              std::vector<poplar::ComputeSet>& css, const DebugContext& debugContext,
              const poplar::OptionFlags& options) {
  popir::checkLibraryOptions("popops::reduce", popir::Library::Reduce, options);
  return reduceToNew(graph, in, outType, dims, params, debugContext,
                     toComputeSet(graph, css, debugContext));
}

Tensor reduce(Graph& graph, const Tensor& in, const std::vector<std::size_t>& dims,
              ReduceParams params, std::vector<poplar::ComputeSet>& css,
              const DebugContext& debugContext, const poplar::OptionFlags& options) {
  return reduce(graph, in, in.elementType(), dims, params, css, debugContext, options);
}

void reduceWithOutput(Graph& graph, const Tensor& in, const Tensor& out,
                      const std::vector<std::size_t>& dims, ReduceParams params,
                      std::vector<poplar::ComputeSet>& css, const DebugContext& debugContext,
                      const poplar::OptionFlags& options) {
  popir::checkLibraryOptions("popops::reduceWithOutput", popir::Library::Reduce, options);
  reduceInto(in, out, dims, params, toComputeSet(graph, css, debugContext));
}

void reduceMany(Graph& graph, const std::vector<SingleReduceOp>& reductions,
                std::vector<Tensor>& outputs, poplar::program::Sequence& prog,
                const DebugContext& debugContext, const poplar::OptionFlags& options) {
  if (!outputs.empty() && outputs.size() != reductions.size())
    refuse("reduceMany: " + std::to_string(outputs.size()) + " outputs for " +
           std::to_string(reductions.size()) + " reductions; give one each, or none");
  std::vector<poplar::ComputeSet> css = {graph.addComputeSet({debugContext, "ReduceMany"})};
  const bool give = outputs.empty();
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    const SingleReduceOp& r = reductions[i];
    const DebugContext context(debugContext, r.debugName);
    if (give)
      outputs.push_back(reduce(graph, r.in, r.useOutType ? r.outType : r.in.elementType(), r.dims,
                               r.params, css, context, options));
    else
      reduceWithOutput(graph, r.in, outputs[i], r.dims, r.params, css, context, options);
  }
  prog.add(poplar::program::Execute(css.front(), debugContext));
}

}  // namespace popops
