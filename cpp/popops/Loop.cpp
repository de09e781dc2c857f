#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/Loop.hpp>
#include <poputil/exceptions.hpp>

#include <limits>
#include <string>

namespace popops {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Program;
using poplar::program::Sequence;
namespace pe = expr;

Tensor counter(Graph& graph, poplar::Type type, const DebugContext& context) {
  const auto made = graph.addVariable(type, {1}, context);
  graph.setTileMapping(made, 0);
  return made;
}

void checkCounter(const char* what, const Tensor& t) {
  if (t.numElements() == 1 &&
      (t.elementType() == poplar::INT || t.elementType() == poplar::UNSIGNED_INT))
    return;
  throw poputil::poplibs_error(std::string("popops::countedForLoop: ") + what +
                               " is one element of INT or UNSIGNED_INT; given were " +
                               std::to_string(t.numElements()) + " of " +
                               t.elementType().toString());
}

}  // namespace

Sequence countedLoop(Graph& graph, std::size_t begin, std::size_t end, std::size_t step,
                     const CountedLoopBodyType& body, const DebugContext& debugContext) {
  constexpr std::size_t most = std::numeric_limits<unsigned>::max();
  if (step == 0) throw poputil::poplibs_error("popops::countedLoop: a step of 0 given");
  if (end > most || step > most)
    throw poputil::poplibs_error("popops::countedLoop: from " + std::to_string(begin) + " to " +
                                 std::to_string(end) + " by " + std::to_string(step) +
                                 " given; the counter has 32 bits");
  Sequence whole(debugContext);
  if (begin >= end) return whole;
  const Tensor count = counter(graph, poplar::UNSIGNED_INT, debugContext);
  fill(graph, count, whole, static_cast<unsigned>(begin), debugContext);
  Sequence once;
  once.add(body(count));
  mapInPlace(graph, pe::_1 + pe::Const(static_cast<unsigned>(step)), {count}, once, debugContext);
  const std::size_t times = (end - begin - 1) / step + 1;
  whole.add(poplar::program::Repeat(static_cast<unsigned>(times), once, debugContext));
  return whole;
}

Sequence countedLoop(Graph& graph, std::size_t count, const CountedLoopBodyType& body,
                     const DebugContext& debugContext) {
  return countedLoop(graph, 0, count, 1, body, debugContext);
}

Sequence countedForLoop(Graph& graph, const Tensor& count, int initialCount,
                        const Tensor& countLimit, int countStep, const Program& body,
                        const DebugContext& debugContext) {
  checkCounter("the counter", count);
  checkCounter("the limit", countLimit);
  if (countStep == 0) throw poputil::poplibs_error("popops::countedForLoop: a step of 0 given");
  Sequence whole(debugContext), test, once(debugContext);
  fill(graph, count, whole, initialCount, debugContext);
  const auto limit = countLimit.reshape(count.shape()).reinterpret(count.elementType());
  const Tensor goesOn = neq(graph, count, limit, test, debugContext);
  once.add(body);
  mapInPlace(graph, pe::_1 + pe::Const(countStep), {count}, once, debugContext);
  whole.add(poplar::program::RepeatWhileTrue(test, goesOn.reshape({}), once, debugContext));
  return whole;
}

Sequence countedForLoop(Graph& graph, int initialCount, const Tensor& countLimit, int countStep,
                        const Program& body, const DebugContext& debugContext) {
  const Tensor count = counter(graph, countLimit.elementType(), debugContext);
  return countedForLoop(graph, count, initialCount, countLimit, countStep, body, debugContext);
}

}  // namespace popops
