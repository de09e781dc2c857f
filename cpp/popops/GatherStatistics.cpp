#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/GatherStatistics.hpp>
#include <popops/Reduce.hpp>
#include <poputil/exceptions.hpp>

#include <vector>

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

/// UNSIGNED_INT [levels + 1].
Tensor counted(Graph& graph, const Tensor& input, const Tensor& levels, bool absolute,
               Sequence& prog, const DebugContext& context) {
  namespace pe = expr;
  const poplar::Type type = input.elementType();
  if ((type != poplar::FLOAT && type != poplar::HALF) || levels.elementType() != type ||
      levels.rank() != 1 || levels.numElements() == 0)
    throw poputil::poplibs_error(
        "popops::histogram: input and levels are of one type, FLOAT or "
        "HALF, the levels a vector; given were " +
        type.toString() + " " + input.shapeToString() + " and " + levels.elementType().toString() +
        " " + levels.shapeToString());
  const Tensor flat = absolute ? abs(graph, input.flatten(), prog, context) : input.flatten();
  // Elements that are not below each level, [levels]; NaN is below none and not below none.
  const auto atLeast = [&](const pe::Expr& condition, const std::vector<Tensor>& ts) {
    const Tensor holds = map(graph, pe::Cast(condition, poplar::UNSIGNED_INT), ts, prog, context);
    return reduce(graph, holds, {1}, Operation::ADD, prog, context);
  };
  const Tensor above = atLeast(pe::Gte(pe::_1, pe::_2), {flat.expand({0}), levels.expand({1})});
  const Tensor below =
      atLeast(pe::Lt(pe::_1, pe::_2), {flat.expand({0}), levels.slice(0, 1).expand({1})});
  const unsigned n = static_cast<unsigned>(levels.numElements());
  const Tensor between = sub(graph, above.slice(0, n - 1), above.slice(1, n), prog, context);
  return poplar::concat({below, between, above.slice(n - 1, n)});
}

}  // namespace

Tensor histogram(Graph& graph, const Tensor& input, const Tensor& levels, bool absoluteOfInput,
                 Sequence& prog, const DebugContext& debugContext,
                 const poplar::OptionFlags& options) {
  const DebugContext context(debugContext, "histogram");
  const bool inFloat = countsInFloat(options);
  const Tensor counts = counted(graph, input, levels, absoluteOfInput, prog, context);
  return inFloat ? cast(graph, counts, poplar::FLOAT, prog, context) : counts;
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
  Tensor counts = counted(graph, input, levels, absoluteOfInput, prog, context);
  if (type == poplar::FLOAT) counts = cast(graph, counts, type, prog, context);
  if (updateOutput)
    addInPlace(graph, output, counts, prog, context);
  else
    prog.add(poplar::program::Copy(counts, output, false, context));
}

}  // namespace popops
