// The operators of ai.graphcore, each one call of the method of the same name.
#include <popart/builder.hpp>

#include "popart/host/builder.hpp"

namespace popir {
namespace python {
namespace {

Value reductionOf(popart::ReductionType reduction) {
  return member("ReductionType", {"Sum", "Mean", "NoReduction"}, static_cast<int>(reduction));
}

Value scatterOf(popart::ScatterReduction reduction) {
  return member("ScatterReduction", {"Sum", "Max", "Min", "Mul", "NoReduction"},
                static_cast<int>(reduction));
}

Value operatorOf(const nonstd::optional<popart::CollectiveOperator>& op) {
  if (!op) return {};
  return member(
      "CollectiveOperator",
      {"Add", "Mean", "Mul", "Min", "Max", "LogicalAnd", "LogicalOr", "SquareAdd", "Local"},
      static_cast<int>(*op));
}

Value groupOf(const nonstd::optional<popart::CommGroup>& group) {
  if (!group) return {};
  return List{static_cast<int>(group->type), group->replicaGroupSize};
}

}  // namespace
}  // namespace python
}  // namespace popir

namespace popart {

using popir::python::call;
using popir::python::groupOf;
using popir::python::ids;
using popir::python::List;
using popir::python::node;
using popir::python::operatorOf;
using popir::python::reductionOf;
using popir::python::scatterOf;
using popir::python::valueOf;

TensorId AiGraphcoreOpset1::copyvarupdate(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "copyvarupdate", {args}, {}, debugContext).text();
}

std::vector<TensorId> AiGraphcoreOpset1::batchnormalization(const Ids& args, unsigned num_outputs,
                                                            float epsilon, float momentum,
                                                            const DebugContext& debugContext) {
  return ids(node(*this, "batchnormalization", {args, num_outputs},
                  {{"epsilon", epsilon}, {"momentum", momentum}}, debugContext));
}

std::vector<TensorId> AiGraphcoreOpset1::groupnormalization(const Ids& args, int64_t num_groups,
                                                            float epsilon,
                                                            const DebugContext& debugContext) {
  return ids(node(*this, "groupnormalization", {args},
                  {{"num_groups", num_groups}, {"epsilon", epsilon}}, debugContext));
}

TensorId AiGraphcoreOpset1::subsample(const Ids& args, const Ints& strides,
                                      const DebugContext& debugContext) {
  return node(*this, "subsample", {args}, {{"strides", strides}}, debugContext).text();
}

TensorId AiGraphcoreOpset1::nop(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "nop", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::normalize_image(const Ids& args, float scale,
                                            const DebugContext& debugContext) {
  return node(*this, "normalize_image", {args}, {{"scale", scale}}, debugContext).text();
}

TensorId AiGraphcoreOpset1::scale(const Ids& args, float scale, const DebugContext& debugContext) {
  return node(*this, "scale", {args}, {{"scale", scale}}, debugContext).text();
}

TensorId AiGraphcoreOpset1::scaledadd(const Ids& args, float scale0, float scale1,
                                      const DebugContext& debugContext) {
  return node(*this, "scaledadd", {args}, {{"scale0", scale0}, {"scale1", scale1}}, debugContext)
      .text();
}

std::vector<TensorId> AiGraphcoreOpset1::lstm(const Ids& args, int64_t outputFullSequence,
                                              const DebugContext& debugContext) {
  return ids(
      node(*this, "lstm", {args}, {{"outputFullSequence", outputFullSequence}}, debugContext));
}

TensorId AiGraphcoreOpset1::gelu(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "gelu", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::geluerf(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "geluerf", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::detach(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "detach", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::depthtospace(const Ids& args, int64_t blocksize,
                                         const std::string& mode,
                                         const DebugContext& debugContext) {
  return node(*this, "depthtospace", {args}, {{"blocksize", blocksize}, {"mode", mode}},
              debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::round(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "round", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::dynamicslice(const Ids& args, Ints axes, Ints sizes, int64_t noOverlap,
                                         const DebugContext& debugContext) {
  return node(*this, "dynamicslice", {args},
              {{"axes", axes}, {"sizes", sizes}, {"noOverlap", noOverlap}}, debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::dynamicupdate(const Ids& args, Ints axes, Ints sizes, int64_t noOverlap,
                                          const DebugContext& debugContext) {
  return node(*this, "dynamicupdate", {args},
              {{"axes", axes}, {"sizes", sizes}, {"noOverlap", noOverlap}}, debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::dynamiczero(const Ids& args, Ints axes, Ints sizes,
                                        const DebugContext& debugContext) {
  return node(*this, "dynamiczero", {args}, {{"axes", axes}, {"sizes", sizes}}, debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::dynamicadd(const Ids& args, Ints axes, Ints sizes,
                                       const DebugContext& debugContext) {
  return node(*this, "dynamicadd", {args}, {{"axes", axes}, {"sizes", sizes}}, debugContext).text();
}

TensorId AiGraphcoreOpset1::sequenceslice(const Ids& args, int64_t zeroUnused,
                                          const DebugContext& debugContext) {
  return node(*this, "sequenceslice", {args}, {{"zeroUnused", zeroUnused}}, debugContext).text();
}

TensorId AiGraphcoreOpset1::tensorremap(const Ids& args, int64_t remap_type,
                                        const DebugContext& debugContext) {
  return node(*this, "tensorremap", {args}, {{"remap_type", remap_type}}, debugContext).text();
}

std::vector<TensorId> AiGraphcoreOpset1::ctcbeamsearchdecoder(const Ids& args, unsigned blank,
                                                              unsigned beamWidth, unsigned topPaths,
                                                              const DebugContext& debugContext) {
  return ids(node(*this, "ctcbeamsearchdecoder", {args},
                  {{"blank", blank}, {"beamWidth", beamWidth}, {"topPaths", topPaths}},
                  debugContext));
}

TensorId AiGraphcoreOpset1::shapeddropout(const Ids& args, const Ints& shape, float ratio,
                                          const DebugContext& debugContext) {
  return node(*this, "shapeddropout", {args}, {{"shape", shape}, {"ratio", ratio}}, debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::atan2(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "atan2", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::expm1(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "expm1", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::log1p(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "log1p", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::fmod(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "fmod", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::remainder(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "remainder", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::reverse(const Ids& args, const Ints& dimensions,
                                    const DebugContext& debugContext) {
  return node(*this, "reverse", {args}, {{"dimensions", dimensions}}, debugContext).text();
}

TensorId AiGraphcoreOpset1::slice(const Ids& args, const Ints& ends, const Ints& starts,
                                  const Ints& axes, const DebugContext& debugContext) {
  return node(*this, "slice", {args}, {{"ends", ends}, {"starts", starts}, {"axes", axes}},
              debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::bitwisenot(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "bitwisenot", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::bitwiseand(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "bitwiseand", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::bitwiseor(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "bitwiseor", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::bitwisexor(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "bitwisexor", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::bitwisexnor(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "bitwisexnor", {args}, {}, debugContext).text();
}

std::vector<TensorId> AiGraphcoreOpset1::reducemedian(const Ids& args,
                                                      const nonstd::optional<Ints>& axes,
                                                      int64_t keepdims,
                                                      const DebugContext& debugContext) {
  return ids(
      node(*this, "reducemedian", {args}, {{"axes", axes}, {"keepdims", keepdims}}, debugContext));
}

TensorId AiGraphcoreOpset1::groupedgather(const Ids& args, int64_t axis, int64_t group_size,
                                          const DebugContext& debugContext) {
  return node(*this, "groupedgather", {args}, {{"axis", axis}, {"group_size", group_size}},
              debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::swish(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "swish", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::incrementmod(const Ids& args, float increment, float modulus,
                                         const DebugContext& debugContext) {
  return node(*this, "incrementmod", {args}, {{"increment", increment}, {"modulus", modulus}},
              debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::bucketize(const Ids& args, int64_t right,
                                      const DebugContext& debugContext) {
  return node(*this, "bucketize", {args}, {{"right", right}}, debugContext).text();
}

std::vector<TensorId> AiGraphcoreOpset1::sort(const Ids& args, int64_t axis, int64_t descending,
                                              int64_t stable, const DebugContext& debugContext) {
  return ids(node(*this, "sort", {args},
                  {{"axis", axis}, {"descending", descending}, {"stable", stable}}, debugContext));
}

TensorId AiGraphcoreOpset1::nearbyint(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "nearbyint", {args}, {}, debugContext).text();
}

std::vector<TensorId> AiGraphcoreOpset1::splinebasis(const Ids& args, int64_t degree,
                                                     const DebugContext& debugContext) {
  return ids(node(*this, "splinebasis", {args}, {{"degree", degree}}, debugContext));
}

TensorId AiGraphcoreOpset1::splineweighting(const Ids& args, const DebugContext& debugContext) {
  return node(*this, "splineweighting", {args}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::init(Ints shape, int64_t data_type, int64_t init_type,
                                 int64_t batch_axis, const DebugContext& debugContext) {
  return node(*this, "init", {shape, data_type, init_type, batch_axis}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::init(Ints shape, int64_t data_type, int64_t init_type,
                                 const DebugContext& debugContext) {
  return node(*this, "init", {shape, data_type, init_type}, {}, debugContext).text();
}

std::vector<TensorId> AiGraphcoreOpset1::call(const Ids& args, unsigned num_outputs,
                                              const Builder& callee,
                                              const DebugContext& debugContext) {
  return ids(node(*this, "call", {args, num_outputs, valueOf(callee)}, {}, debugContext));
}

TensorId AiGraphcoreOpset1::packedDataBlock(const Ids& args, const Ints& maxSequenceLengths,
                                            int64_t resultSize, int64_t callbackBatchSize,
                                            const Builder& callback,
                                            const DebugContext& debugContext) {
  return node(*this, "packedDataBlock", {args},
              {{"maxSequenceLengths", maxSequenceLengths},
               {"resultSize", resultSize},
               {"callbackBatchSize", callbackBatchSize},
               {"callback", valueOf(callback)}},
              debugContext)
      .text();
}

void AiGraphcoreOpset1::abort(const Ids& args, const DebugContext& debugContext) {
  node(*this, "abort", {args}, {}, debugContext);
}

TensorId AiGraphcoreOpset1::reshape(const TensorId& arg, const Ints& shape,
                                    const DebugContext& debugContext) {
  return node(*this, "reshape", {arg, shape}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::printtensor(const Ids& args, int64_t print_gradient,
                                        const DebugContext& debugContext, const std::string& title,
                                        const int summariseThreshold, const int edgeItems,
                                        const int maxLineWidth, const int digits,
                                        const int floatFormat, const char separator,
                                        const char openBracket, const char closeBracket) {
  return node(*this, "printtensor", {args},
              {{"print_gradient", print_gradient},
               {"title", title},
               {"summariseThreshold", summariseThreshold},
               {"edgeItems", edgeItems},
               {"maxLineWidth", maxLineWidth},
               {"digits", digits},
               {"floatFormat", floatFormat},
               {"separator", std::string(1, separator)},
               {"openBracket", std::string(1, openBracket)},
               {"closeBracket", std::string(1, closeBracket)}},
              debugContext)
      .text();
}

std::vector<TensorId> AiGraphcoreOpset1::multiconv(
    const MultiConvInputs& tensors, const MultiConvDilations& dilations,
    const MultiConvDilations& inDilations, const MultiConvPads& pads, const MultiConvPads& outPads,
    const MultiConvStrides& strides, const std::vector<float>& availableMemoryProportions,
    const std::vector<std::string>& partialsTypes, const nonstd::optional<std::string> planType,
    const nonstd::optional<int> perConvReservedTiles, const nonstd::optional<float> cycleBackOff,
    const std::vector<int64_t> enableConvDithering, const DebugContext& debugContext) {
  return ids(node(*this, "multiconv", {tensors},
                  {{"dilations", dilations},
                   {"inDilations", inDilations},
                   {"pads", pads},
                   {"outPads", outPads},
                   {"strides", strides},
                   {"availableMemoryProportions", availableMemoryProportions},
                   {"partialsTypes", partialsTypes},
                   {"planType", planType},
                   {"perConvReservedTiles", perConvReservedTiles},
                   {"cycleBackOff", cycleBackOff},
                   {"enableConvDithering", enableConvDithering}},
                  debugContext));
}

TensorId AiGraphcoreOpset1::replicatedallreduce(
    const Ids& args, const nonstd::optional<std::vector<int64_t>>& commGroup,
    const DebugContext& debugContext) {
  return node(*this, "replicatedallreduce", {args}, {{"commGroup", commGroup}}, debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::replicatedallreduce(
    const Ids& args, const nonstd::optional<CollectiveOperator>& collectiveOperator,
    const nonstd::optional<CommGroup>& commGroup, const DebugContext& debugContext) {
  return node(*this, "replicatedallreduce", {args},
              {{"collectiveOperator", operatorOf(collectiveOperator)},
               {"commGroup", groupOf(commGroup)}},
              debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::replicatedreducescatter(
    const Ids& args, const nonstd::optional<CollectiveOperator>& collectiveOperator,
    const nonstd::optional<CommGroup>& commGroup, const DebugContext& debugContext) {
  return node(*this, "replicatedreducescatter", {args},
              {{"collectiveOperator", operatorOf(collectiveOperator)},
               {"commGroup", groupOf(commGroup)}},
              debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::l1loss(const Ids& args, const float lambda,
                                   const ReductionType reduction,
                                   const DebugContext& debugContext) {
  return node(*this, "l1loss", {args, lambda, reductionOf(reduction)}, {}, debugContext).text();
}

TensorId AiGraphcoreOpset1::nllloss(const Ids& args, const ReductionType reduction,
                                    const nonstd::optional<int> ignoreIndex,
                                    bool inputIsLogProbability, const DebugContext& debugContext) {
  return node(*this, "nllloss", {args},
              {{"reduction", reductionOf(reduction)},
               {"ignoreIndex", ignoreIndex},
               {"inputIsLogProbability", inputIsLogProbability}},
              debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::identityloss(const Ids& args, const ReductionType reduction,
                                         const DebugContext& debugContext) {
  return node(*this, "identityloss", {args}, {{"reduction", reductionOf(reduction)}}, debugContext)
      .text();
}

TensorId AiGraphcoreOpset1::ctcloss(const Ids& args, const ReductionType reduction,
                                    const unsigned blank, const std::string& outDataType,
                                    const bool zeroInfinity, const DebugContext& debugContext) {
  const List given = {args, reductionOf(reduction), blank, outDataType, zeroInfinity};
  return node(*this, "ctcloss", given, {}, debugContext).text();
}

std::vector<TensorId> AiGraphcoreOpset1::_ctcloss(const Ids& args, const ReductionType reduction,
                                                  const unsigned blank,
                                                  const std::string& outDataType,
                                                  const bool zeroInfinity,
                                                  const DebugContext& debugContext) {
  const List given = {args, reductionOf(reduction), blank, outDataType, zeroInfinity};
  return ids(node(*this, "_ctcloss", given, {}, debugContext));
}

TensorId AiGraphcoreOpset1::scatterreduce(const Ids& args, int64_t axis_size, int64_t axis,
                                          ScatterReduction reduction,
                                          int64_t enable_index_broadcast,
                                          const DebugContext& debugContext) {
  return groupedscatterreduce(args, axis_size, axis, reduction, 1, enable_index_broadcast,
                              debugContext);
}

TensorId AiGraphcoreOpset1::groupedscatterreduce(const Ids& args, int64_t axis_size, int64_t axis,
                                                 ScatterReduction reduction, int64_t group_size,
                                                 int64_t enable_index_broadcast,
                                                 const DebugContext& debugContext) {
  const List given = {
      args, axis_size, axis, scatterOf(reduction), group_size, enable_index_broadcast};
  return node(*this, "groupedscatterreduce", given, {}, debugContext).text();
}

}  // namespace popart
