// Reductions, slices, and copies.
#include "machine/formulas.hpp"

namespace popir {
namespace {

// PopLibs' two fast vertices: partials of one output side by side, or outputs side by side. Where
// there are fewer outputs than workers, several workers share one.
Cycles reduce(const TargetSpec& spec, const VertexWork& w) {
  const auto in = w.size(0), out = w.size(1);
  if (in == 0 || out == 0) return 0;
  const auto partials = ceilDiv(in, out), run = std::min(w.size(2, partials), partials);
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

// Workers share the slices; a slice moves two elements at a time.
Cycles slices(const TargetSpec& spec, const VertexWork& w, Cycles start, Cycles each) {
  const auto perWorker = ceilDiv(w.size(0), spec.numWorkerContexts);
  return supervised(spec, 0, 30 + perWorker * (start + each * ceilDiv(w.size(1), 2)));
}
Cycles multiSlice(const TargetSpec& spec, const VertexWork& w) { return slices(spec, w, 19, 2); }
Cycles multiUpdate(const TargetSpec& spec, const VertexWork& w) { return slices(spec, w, 29, 2); }
Cycles multiUpdateAdd(const TargetSpec& spec, const VertexWork& w) {
  return slices(spec, w, 29, 3);
}

Cycles copy(const TargetSpec& spec, const VertexWork& w) {
  return w.size(0) == 0 ? 0 : spec.copyCallCycles + ceilDiv(w.size(0), spec.memcpyBytesPerCycle);
}

}  // namespace

// PopLibs' DynamicSlice1D and DynamicUpdateSlice1D of one slice.
Cycles dynamicSlice(const TargetSpec& spec, poplar::Type type, Cycles elements) {
  const auto vectors = ceilDiv(elements, spec.numWorkerContexts) / vectorWidth(spec, type);
  return elements == 0 ? 0 : supervised(spec, 25, 39 + 24 + 2 * vectors);
}

std::vector<VertexClass> arrayClasses() {
  return {{"popops::Reduce", Sharing::Reduction, reduce},
          {"popops::MultiSlice", Sharing::Proportional, multiSlice},
          {"popops::MultiUpdate", Sharing::Proportional, multiUpdate},
          {"popops::MultiUpdateAdd", Sharing::Proportional, multiUpdateAdd},
          {"poplar::Copy", Sharing::Proportional, copy}};
}

}  // namespace popir
