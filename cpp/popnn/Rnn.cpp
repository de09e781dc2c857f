#include <popnn/Rnn.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <string>

#include "poplar/library_options.hpp"
#include "popnn/cells.hpp"

namespace popnn {
namespace rnn {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Sequence;
using Tensors = std::vector<Tensor>;
namespace pe = popops::expr;

/// A sequence with one entry a step. One of several sequences has the values of a step one after
/// another.
Tensor bySteps(const RnnParams& params, const Tensor& t) {
  const std::size_t steps = params.maxTimeSteps;
  if (t.rank() == 0 || t.dim(0) % steps != 0)
    throw poputil::poplibs_error("popnn::rnn::Rnn: a sequence is " + t.shapeToString() +
                                 "; give [steps, ...] for " + std::to_string(steps) + " steps");
  return t.dim(0) == steps ? t : t.reshapePartial(0, 1, {steps, t.dim(0) / steps});
}

Tensor mapped(Graph& graph, const poplar::Type& type, const std::vector<std::size_t>& shape,
              const DebugContext& context) {
  const auto made = graph.addVariable(type, shape, context);
  poputil::mapTensorLinearly(graph, made);
  return made;
}

/// [steps, rest...], whose steps all lie alike.
Tensor mappedBySteps(Graph& graph, const poplar::Type& type, std::size_t steps,
                     const std::vector<std::size_t>& rest, const DebugContext& context) {
  auto shape = rest;
  shape.insert(shape.begin(), steps);
  const auto made = graph.addVariable(type, shape, context);
  for (std::size_t i = 0; i < steps; ++i) poputil::mapTensorLinearly(graph, made[i]);
  return made;
}

/// One loop over the steps of a sequence.
class Steps {
 public:
  Steps(Graph& graph, const RnnParams& params, bool reverse, Sequence& prog,
        const DebugContext& context)
      : graph_(graph), params_(params), reverse_(reverse), prog_(prog), context_(context) {
    if (!params.variableTimeSteps()) return;
    auto given = params.varTimeSteps.flatten();
    if (given.elementType() != poplar::UNSIGNED_INT)
      given = given.reinterpret(poplar::UNSIGNED_INT);
    each_ = given;
    const auto most =
        given.numElements() == 1
            ? given
            : popops::reduce(graph, given, {0}, popops::Operation::MAX, prog, context);
    limit_ =
        popops::map(graph, pe::Min(pe::_1, pe::Const(static_cast<unsigned>(params.maxTimeSteps))),
                    {most.reshape({1})}, prog, context);
  }

  /// Adds the loop: `body` makes the program of a step.
  template <class Body>
  void add(const Body& body) {
    if (limit_.valid()) {
      const auto count = mapped(graph_, poplar::UNSIGNED_INT, {1}, context_);
      prog_.add(popops::countedForLoop(graph_, count, 0, limit_, 1, once(body, count), context_));
    } else {
      prog_.add(popops::countedLoop(
          graph_, params_.maxTimeSteps, [&](const Tensor& count) { return once(body, count); },
          context_));
    }
  }

 private:
  template <class Body>
  Sequence once(const Body& body, const Tensor& count) {
    Sequence prog(context_);
    Tensor step = count;
    if (reverse_ && limit_.valid())
      step = popops::map(graph_, pe::_1 - pe::_2 - pe::Const(1u), {limit_, count}, prog, context_);
    else if (reverse_)
      step =
          popops::map(graph_, pe::Const(static_cast<unsigned>(params_.maxTimeSteps - 1)) - pe::_1,
                      {count}, prog, context_);
    TimeStepState time;
    time.begin = graph_.addConstant(poplar::UNSIGNED_INT, {1}, 0u, context_);
    graph_.setTileMapping(time.begin, 0);
    time.counter = step;
    RnnBatchwiseFlags flags;
    if (params_.batchVariableTimeSteps()) {
      const auto has = popops::gt(graph_, each_, step, prog, context_);
      flags.mask = popops::cast(graph_, has, params_.dataType, prog, context_);
      flags.inverse = popops::map(graph_, pe::Const(1.0f) - pe::_1, {flags.mask}, prog, context_);
      const auto all =
          popops::reduce(graph_, has, {0}, popops::Operation::LOGICAL_AND, prog, context_);
      time.variableSeqFlag = popops::logicalNot(graph_, all, prog, context_);
    }
    body(time, flags, prog);
    return prog;
  }

  Graph& graph_;
  const RnnParams& params_;
  bool reverse_;
  Sequence& prog_;
  const DebugContext& context_;
  Tensor each_;   ///< each sample's number of steps
  Tensor limit_;  ///< the most of them; invalid if it is known
};

void check(const RnnParams& params, const OptionFlags& options) {
  popir::checkLibraryOptions("popnn::rnn::Rnn", popir::Library::Recurrent, options);
  popir::checkRecurrent("rnn::Rnn", params);
}

}  // namespace

std::size_t RnnParams::getMaxShards(const Graph& graph) const {
  return std::min<std::size_t>(maxTimeSteps, graph.getTarget().getNumTiles());
}
std::size_t RnnParams::getInputBytesPerTile(const Graph& graph) const {
  const std::size_t bytes = batchSize * layerSizes[0] * graph.getTarget().getTypeSize(dataType);
  const std::size_t tiles = graph.getTarget().getNumTiles();
  return (bytes + tiles - 1) / tiles;
}
std::size_t RnnParams::getOutputBytesPerTile(const Graph& graph) const {
  const std::size_t bytes = batchSize * layerSizes[1] * graph.getTarget().getTypeSize(dataType);
  const std::size_t tiles = graph.getTarget().getNumTiles();
  return (bytes + tiles - 1) / tiles;
}

Tensor createInitialState(Graph& graph, const RnnParams& params, bool isOutput, unsigned multiple,
                          unsigned, const DebugContext& debugContext) {
  return mapped(graph, params.dataType,
                {multiple, params.batchSize, params.layerSizes[isOutput ? 1 : 0]},
                {debugContext, "initState"});
}

Tensor createRecurrentTensor(Graph& graph, const RnnParams& params, unsigned size, unsigned,
                             const DebugContext& debugContext) {
  return mappedBySteps(graph, params.dataType, params.maxTimeSteps, {params.batchSize, size},
                       debugContext);
}
Tensor createInputTensor(Graph& graph, const RnnParams& params, unsigned numShards,
                         const DebugContext& debugContext) {
  return createRecurrentTensor(graph, params, static_cast<unsigned>(params.layerSizes[0]),
                               numShards, debugContext);
}
Tensor createOutputTensor(Graph& graph, const RnnParams& params, unsigned numShards,
                          const DebugContext& debugContext) {
  return createRecurrentTensor(graph, params, static_cast<unsigned>(params.layerSizes[1]),
                               numShards, debugContext);
}
Tensor createOutputTensor(Graph& graph, const RnnParams& params, unsigned multiple, unsigned,
                          const DebugContext& debugContext) {
  const auto made = mappedBySteps(graph, params.dataType, params.maxTimeSteps,
                                  {multiple, params.batchSize, params.layerSizes[1]}, debugContext);
  return made.reshapePartial(0, 2, {params.maxTimeSteps * multiple});
}

Tensor shiftRnnTensor(Graph& graph, const RnnParams& params, const Tensor& tBase,
                      const Tensor& tSingle, Sequence& prog, unsigned,
                      const DebugContext& debugContext) {
  const auto made = graph.clone(tBase, debugContext);
  const std::size_t one = tBase.dim(0) / params.maxTimeSteps, all = tBase.dim(0);
  prog.add(Copy(tSingle, tSingle.rank() == made.rank() ? made.slice(0, one) : made[0], false,
                debugContext));
  prog.add(Copy(tBase.slice(0, all - one), made.slice(one, all), false, debugContext));
  return made;
}

Tensors Rnn(Graph& graph, const RnnParams& params, bool reverse, const Tensors& initState,
            const StateSequence& stateSequence, const Tensors& inputs, const Tensor* interimIn,
            Tensor* interimOut, const Tensors& outputs, const Tensors& created, Sequence& prog,
            const LoopBodyType& loopFn, unsigned, OptionFlags& options,
            const DebugContext& debugContext) {
  check(params, options);
  const DebugContext context(debugContext, "Rnn");
  Tensors state;
  for (const auto& initial : initState) {
    state.push_back(initial.valid() ? graph.clone(initial, {context, "state"}) : Tensor());
    if (initial.valid()) prog.add(Copy(initial, state.back(), false, context));
  }
  Sequence before(context), loop(context);
  Steps(graph, params, reverse, loop, context)
      .add([&](const TimeStepState& time, const RnnBatchwiseFlags& flags, Sequence& once) {
        const auto part = [&](const Tensor& whole) {
          return whole.valid() ? popops::dynamicSlice(graph, bySteps(params, whole), time.counter,
                                                      {0}, {1}, once, context)[0]
                               : whole;
        };
        const auto keep = [&](const Tensor& whole, const Tensor& values) {
          const auto steps = bySteps(params, whole);
          auto one = steps.shape();
          one[0] = 1;
          popops::dynamicUpdate(graph, steps, values.reshape(one), time.counter, {0}, {1}, once,
                                context);
        };
        RnnSlice slice;
        for (const auto& input : inputs) slice.inputs.push_back(part(input));
        if (interimIn != nullptr) slice.interimIn = part(*interimIn);
        if (interimOut != nullptr)
          slice.interimOut = graph.clone(bySteps(params, *interimOut)[0], {context, "interimOut"});
        for (const auto& output : outputs) slice.outputs.push_back(part(output));
        Tensors made(created.size());
        once.add(loopFn(graph, time, flags, state, slice, made, &before,
                        poplar::DebugNameAndId("cell", 0, context.getPathName())));
        if (interimOut != nullptr) keep(*interimOut, slice.interimOut);
        if (stateSequence.output.valid())
          keep(stateSequence.output, state.at(stateSequence.stateIndex));
        for (std::size_t i = 0; i < outputs.size(); ++i) keep(outputs[i], slice.outputs[i]);
        for (std::size_t i = 0; i < created.size(); ++i) keep(created[i], made[i]);
      });
  prog.add(before);
  prog.add(loop);
  return state;
}

Tensors Rnn(Graph& graph, const RnnParams& params, const Tensors& initState,
            const StateSequence& stateSequence, const Tensors& inputs, const Tensor& interimIn,
            const unsigned numTemps, Sequence& prog, const LoopBodyType& loopFn,
            const Tensors& gatherInputs, const GatherBodyType& gatherFn, unsigned numShards,
            unsigned stepsPerGather, OptionFlags& options, const DebugContext& debugContext) {
  if (stepsPerGather == 0)
    throw poputil::poplibs_error("popnn::rnn::Rnn: gathers every 0 steps; give 1 or more");
  const std::size_t steps = params.maxTimeSteps;
  const DebugContext context(debugContext, "gather");
  const auto flat = createOutputTensor(graph, params, numTemps, numShards, context);
  auto kept = flat.reshapePartial(0, 1, {steps, numTemps});
  // Steps that no sample has add nothing to what is gathered.
  if (params.variableTimeSteps()) popops::zero(graph, kept, prog, context);
  const auto state = Rnn(graph, params, true, initState, stateSequence, inputs,
                         interimIn.valid() ? &interimIn : nullptr, &kept, {}, {}, prog, loopFn,
                         numShards, options, debugContext);
  Sequence before(context), gathers(context);
  for (std::size_t end = steps; end > 0;) {
    const std::size_t begin = end - std::min<std::size_t>(end, stepsPerGather);
    RnnSlice slice;
    for (const auto& input : gatherInputs)
      slice.inputs.push_back(input.valid() ? bySteps(params, input).slice(begin, end) : input);
    slice.interimIn = flat.slice(begin * numTemps, end * numTemps);
    gathers.add(gatherFn(graph, slice, static_cast<unsigned>(end - begin),
                         end == steps ? &before : nullptr,
                         poplar::DebugNameAndId(std::to_string(begin), 0, context.getPathName())));
    end = begin;
  }
  prog.add(before);
  prog.add(gathers);
  return state;
}

}  // namespace rnn
}  // namespace popnn
