#include <popops/ElementWise.hpp>
#include <popops/GatherStatistics.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <vector>

#include "kernels/reduction/histogram.hpp"
#include "poplar/bulk_vertex.hpp"

namespace popops {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

namespace {

/// Whether the result is FLOAT.
bool countsInFloat(const poplar::OptionFlags& options) {
  bool inFloat = false, inside = false;
  for (const auto& each : options) {
    const bool known = each.first == "useFloatArithmetic" ||
                       each.first == "useFloatArithmeticWithUnsignedIntOutput";
    if (!known || (each.second != "true" && each.second != "false"))
      throw poplar::invalid_option("popops::histogram: the option " + each.first + "=" +
                                   each.second +
                                   " is unknown; useFloatArithmetic and "
                                   "useFloatArithmeticWithUnsignedIntOutput are true or false");
    (each.first == "useFloatArithmetic" ? inFloat : inside) = each.second == "true";
  }
  if (inFloat && inside)
    throw poplar::invalid_option(
        "popops::histogram: useFloatArithmetic and useFloatArithmeticWithUnsignedIntOutput are "
        "both true; choose one");
  return inFloat;
}

/// FLOAT or UNSIGNED_INT [levels + 1].
Tensor counted(Graph& graph, const Tensor& input, const Tensor& levels, bool absolute, bool inFloat,
               Sequence& prog, const DebugContext& context) {
  const poplar::Type type = input.elementType();
  if ((type != poplar::FLOAT && type != poplar::HALF) || levels.elementType() != type ||
      levels.rank() != 1 || levels.numElements() == 0)
    throw poputil::poplibs_error(
        "popops::histogram: input and levels are of one type, FLOAT or "
        "HALF, the levels a vector; given were " +
        type.toString() + " " + input.shapeToString() + " and " + levels.elementType().toString() +
        " " + levels.shapeToString());
  const Tensor counts = graph.addVariable(inFloat ? poplar::FLOAT : poplar::UNSIGNED_INT,
                                          {levels.numElements() + 1}, {context, "counts"});
  poputil::mapTensorLinearly(graph, counts);
  popir::addBulkVertex(graph, prog, std::make_shared<popir::HistogramKernel>(absolute),
                       {{input.flatten(), popir::Access::Read},
                        {levels, popir::Access::Read},
                        {counts, popir::Access::Write}},
                       context);
  return counts;
}

}  // namespace

Tensor histogram(Graph& graph, const Tensor& input, const Tensor& levels, bool absoluteOfInput,
                 Sequence& prog, const DebugContext& debugContext,
                 const poplar::OptionFlags& options) {
  const DebugContext context(debugContext, "histogram");
  return counted(graph, input, levels, absoluteOfInput, countsInFloat(options), prog, context);
}

void histogram(Graph& graph, const Tensor& input, Tensor& output, bool updateOutput,
               const Tensor& levels, bool absoluteOfInput, Sequence& prog,
               const DebugContext& debugContext, const poplar::OptionFlags& options) {
  const DebugContext context(debugContext, "histogram");
  if (countsInFloat(options))
    throw poplar::invalid_option(
        "popops::histogram: useFloatArithmetic is true, and an output is given, whose type says "
        "what is counted in; leave the option out");
  const poplar::Type type = output.elementType();
  if ((type != poplar::UNSIGNED_INT && type != poplar::FLOAT) || output.rank() != 1 ||
      output.numElements() != levels.numElements() + 1)
    throw poputil::poplibs_error("popops::histogram: the output is " + type.toString() + " " +
                                 output.shapeToString() + "; give UNSIGNED_INT or FLOAT [" +
                                 std::to_string(levels.numElements() + 1) + "]");
  const Tensor counts =
      counted(graph, input, levels, absoluteOfInput, type == poplar::FLOAT, prog, context);
  if (updateOutput)
    addInPlace(graph, output, counts, prog, context);
  else
    prog.add(poplar::program::Copy(counts, output, false, context));
}

}  // namespace popops
