#include "machine/contraction/reduction.hpp"

#include <cmath>

namespace popir {
namespace {

// The numbers of partial sums that are left after each stage but the last, and the messages that a
// tile receives in all stages. Fewer messages make less exchange code.
struct Split {
  std::vector<Cycles> left;
  double messages;
};
Split splitOf(Cycles partials, unsigned stages) {
  if (stages == 1) return {{}, static_cast<double>(partials)};
  const auto count = static_cast<double>(partials);
  const auto least = static_cast<Cycles>(std::pow(count, (stages - 1.0) / stages));
  Split best{{}, HUGE_VAL};
  for (const auto left : {least + 1, least}) {
    auto split = splitOf(left, stages - 1);
    split.messages += count / static_cast<double>(left);
    if (split.messages >= best.messages) continue;
    split.left.insert(split.left.begin(), left);
    best = std::move(split);
  }
  return best;
}

}  // namespace

Cycles conversion(const TargetSpec& spec, Cycles elements, poplar::Type from, poplar::Type to) {
  const auto each = ceilDiv(elements, spec.numWorkerContexts);
  const auto width = std::min(vectorWidth(spec, from), vectorWidth(spec, to));
  return supervised(spec, 0, 26 + ceilDiv(each, width));
}

std::vector<ReductionStage> reductionStages(const TargetSpec& spec, const ContractionWork& part,
                                            Cycles elements, Cycles partials, poplar::Type sums,
                                            poplar::Type result) {
  if (partials <= 1) {
    if (sums.sizeInBytes() <= result.sizeInBytes()) return {};
    return {{1, elements, 0, conversion(spec, elements, sums, result)}};
  }
  auto left = splitOf(partials, !part.multiStageReduce ? 1
                                : partials >= 125      ? 3
                                : partials >= 16       ? 2
                                                       : 1)
                  .left;
  left.push_back(1);
  std::vector<ReductionStage> stages;
  for (const auto next : left) {
    ReductionStage stage;
    stage.together = ceilDiv(partials, next);
    if (stage.together <= 1) continue;
    partials = ceilDiv(partials, stage.together);
    elements = stage.outputs = ceilDiv(elements, stage.together);
    stage.received = (stage.together - 1) * stage.outputs * sums.sizeInBytes();
    stage.cycles = reducePartials(spec, stage.outputs, stage.together, sums,
                                  partials == 1 ? result : sums, part.fastReduce);
    stages.push_back(stage);
  }
  return stages;
}

}  // namespace popir
