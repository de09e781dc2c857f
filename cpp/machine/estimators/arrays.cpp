// Estimators of slices, scans and copies.
#include "machine/estimators/sorting.hpp"

namespace popir {
namespace {

// Slices are divided among workers. A worker takes `start` cycles, for each slice 19 more, and 2 for
// two elements; 3 for four elements of one byte.
Cycles slices(const TargetSpec& spec, const SlicesWork& w, Cycles start) {
  const auto perWorker = ceilDiv(w.slices, spec.numWorkerContexts);
  const auto elements = w.elementsEach * std::max<Cycles>(1, w.type.sizeInBytes() / 4);
  const auto each = w.type.sizeInBytes() == 1 ? 3 * ceilDiv(elements, 4) : 2 * ceilDiv(elements, 2);
  return supervised(spec, 0, start + perWorker * (19 + each));
}
Cycles multiSlice(const TargetSpec& spec, const SlicesWork& w) { return slices(spec, w, 30); }
Cycles multiUpdate(const TargetSpec& spec, const SlicesWork& w) { return slices(spec, w, 29); }

// With a scale of the slices' type. Slices are divided among workers. A slice of eight bytes, or of
// four floats, has a path of its own.
Cycles multiUpdateAdd(const TargetSpec& spec, const SlicesWork& w) {
  const auto perWorker = ceilDiv(w.slices, spec.numWorkerContexts);
  const bool words = w.type.sizeInBytes() >= 4;
  const auto size = std::min<Cycles>(w.type.sizeInBytes(), 4);
  const auto n = w.elementsEach * w.type.sizeInBytes() / size;
  const bool special = words ? n == 2 || n == 4 : size == 2 && n == 4;
  const auto atom = std::max<Cycles>(1, spec.atomicStoreGranularity / size);
  Cycles each = words ? 11 : 13;
  if (special)
    each = words ? 4 * n : 9;
  else
    each += n % atom == 0 ? 3 * (std::max(n / atom, Cycles{1}) - 1) : 20 * n;
  return supervised(spec, 0, 3 + (words ? 29 + 6 : 30 + 4) - special + perWorker * each);
}

// Not PopLibs': lines, which workers share, one element after the other. A loop of the compiler's, 7
// cycles an element as other such loops; the gradient of a product goes twice along a line.
Cycles scanned(const TargetSpec& spec, const RowsWork& w, Cycles each) {
  const auto words = std::max<Cycles>(1, w.type.sizeInBytes() / 4);
  const auto perWorker = ceilDiv(w.rows, spec.numWorkerContexts);
  return supervised(spec, kSupervisorCall, 26 + perWorker * (12 + each * words * w.columns));
}
Cycles scan(const TargetSpec& spec, const RowsWork& w) { return scanned(spec, w, 7); }
Cycles scanProductGradient(const TargetSpec& spec, const RowsWork& w) {
  return scanned(spec, w, 16);
}

// All steps of PopLibs' topK, on one tile.
Cycles topK(const TargetSpec& spec, const SortedRowsWork& w) {
  const auto rows = static_cast<std::int64_t>(w.rows);
  Cycles cycles = 0;
  for (const auto& step :
       sortSteps(static_cast<std::int64_t>(w.columns), static_cast<std::int64_t>(w.chosen)))
    cycles += sortCycles(spec, w.type, step, rows, {0, step.comparisons(rows)});
  return cycles;
}
Formula topKFormula(const SortedRowsWork& w) {
  const bool known = w.type == poplar::HALF || w.type == poplar::FLOAT || w.type == poplar::INT ||
                     w.type == poplar::UNSIGNED_INT;
  return known ? Formula::Published : Formula::Guess;
}

Cycles copy(const TargetSpec& spec, const CopyWork& w) {
  return ceilDiv(w.bytes, spec.memcpyBytesPerCycle);
}

}  // namespace

// As PopLibs' DynamicSlice1D and DynamicUpdateSlice1D, for one slice.
Cycles dynamicSlice(const TargetSpec& spec, poplar::Type type, Cycles elements) {
  const auto vectors = ceilDiv(elements, spec.numWorkerContexts) / vectorWidth(spec, type);
  return elements == 0 ? 0 : supervised(spec, 25, 39 + 24 + 2 * vectors);
}

std::vector<VertexClass> arrayClasses() {
  return {published("popops::MultiSlice", multiSlice),
          published("popops::MultiUpdate", multiUpdate),
          published("popops::MultiUpdateAdd", multiUpdateAdd),
          guessed("popops::Scan", scan),
          guessed("popops::ScanProductGradient", scanProductGradient),
          vertexClass<SortedRowsWork>("popops::TopK", topKFormula, topK),
          published("poplar::Copy", copy)};
}

}  // namespace popir
