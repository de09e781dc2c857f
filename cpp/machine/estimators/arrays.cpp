// Estimators of reductions, slices and copies.
#include "machine/estimators/formulas.hpp"

namespace popir {
namespace {

// PopLibs' two fast vertices. If neighbouring inputs reduce to the same output (run > 1), a worker
// computes one output at a time; otherwise a vector of outputs. If there are fewer of these than
// workers, several workers share one.
Cycles reduce(const TargetSpec& spec, const ReduceWork& w) {
  const auto in = w.elementsRead, out = w.elementsWritten;
  if (in == 0 || out == 0) return 0;
  const auto partials = ceilDiv(in, out), run = std::min(w.run, partials);
  const Cycles width = vectorWidth(spec, w.type), workers = spec.numWorkerContexts;
  const auto units = run > 1 ? out : ceilDiv(out, width);
  const auto each = ceilDiv(partials, std::max<Cycles>(1, workers / units));
  const auto perWorker = ceilDiv(units, workers);
  if (run > 1) {
    const auto runs = ceilDiv(each, run);
    return supervised(spec, kSupervisorCall, 17 + perWorker * (12 * runs + ceilDiv(each, width)));
  }
  return supervised(spec, kSupervisorCall,
                    16 + perWorker * (12 + 3 + std::max<Cycles>(each - 1, 1)));
}

// Slices are divided among workers. For each slice a worker takes `start` cycles, and `each` cycles
// for two elements.
Cycles slices(const TargetSpec& spec, const SlicesWork& w, Cycles start, Cycles each) {
  const auto perWorker = ceilDiv(w.slices, spec.numWorkerContexts);
  return supervised(spec, 0, 30 + perWorker * (start + each * ceilDiv(w.elementsEach, 2)));
}
Cycles multiSlice(const TargetSpec& spec, const SlicesWork& w) { return slices(spec, w, 19, 2); }
Cycles multiUpdate(const TargetSpec& spec, const SlicesWork& w) { return slices(spec, w, 29, 2); }
Cycles multiUpdateAdd(const TargetSpec& spec, const SlicesWork& w) {
  return slices(spec, w, 29, 3);
}

Cycles copy(const TargetSpec& spec, const CopyWork& w) {
  return w.bytes == 0 ? 0 : spec.copyCallCycles + ceilDiv(w.bytes, spec.memcpyBytesPerCycle);
}

}  // namespace

// As PopLibs' DynamicSlice1D and DynamicUpdateSlice1D, for one slice.
Cycles dynamicSlice(const TargetSpec& spec, poplar::Type type, Cycles elements) {
  const auto vectors = ceilDiv(elements, spec.numWorkerContexts) / vectorWidth(spec, type);
  return elements == 0 ? 0 : supervised(spec, 25, 39 + 24 + 2 * vectors);
}

std::vector<VertexClass> arrayClasses() {
  return {vertexClass("popops::Reduce", reduce), vertexClass("popops::MultiSlice", multiSlice),
          vertexClass("popops::MultiUpdate", multiUpdate),
          vertexClass("popops::MultiUpdateAdd", multiUpdateAdd), vertexClass("poplar::Copy", copy)};
}

}  // namespace popir
