// Estimators of slices, scans and copies.
#include "machine/estimators/sorting.hpp"

namespace popir {
namespace {

// Slices are divided among workers.
WorkerSlices shared(const TargetSpec& spec, const SlicesWork& w) {
  return {w.type, w.elementsEach, ceilDiv(w.slices, spec.numWorkerContexts)};
}
Cycles multiSlice(const TargetSpec& spec, const SlicesWork& w) {
  return takeSlices(spec, shared(spec, w), SliceVertex::Read);
}
Cycles multiUpdate(const TargetSpec& spec, const SlicesWork& w) {
  return takeSlices(spec, shared(spec, w), SliceVertex::Update);
}
Cycles multiUpdateAdd(const TargetSpec& spec, const SlicesWork& w) {
  const auto bytes = w.elementsEach * w.type.sizeInBytes();
  return combineSlices(spec, shared(spec, w), true, bytes % spec.atomicStoreGranularity == 0);
}

// A worker that searches offsets in order, for the first and the last of its rows.
Cycles searched(const WorkerSlices& each) {
  Cycles steps = 0;
  while ((Cycles{1} << steps) < each.searched) ++steps;
  return 2 * steps * 10 + each.perEntry * (7 + 8) + 4 + 5;
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

// A worker has 19 cycles for a slice, and 2 for two elements; 3 for four elements of one byte.
Cycles takeSlices(const TargetSpec& spec, const WorkerSlices& w, SliceVertex kind, bool isSingle) {
  const auto bytes = w.type.sizeInBytes();
  const auto elements = w.elements * std::max<Cycles>(1, bytes / 4);
  auto vectors = ceilDiv(elements, bytes == 1 ? 4 : 2);
  if (isSingle) vectors = ceilDiv(vectors, spec.numWorkerContexts);
  Cycles worker =
      (kind == SliceVertex::Read ? 30 : 29) + w.inside * (19 + (bytes == 1 ? 3 : 2) * vectors);
  worker += w.searched > 0 ? searched(w) + 20 : 8 * w.outside;
  return supervised(spec, 0, worker);
}

// The scale has the slices' type. Slices of eight bytes that are added, or of four floats, have a
// path of their own.
Cycles combineSlices(const TargetSpec& spec, const WorkerSlices& w, bool adds, bool inWords) {
  const bool words = w.type.sizeInBytes() >= 4;
  const auto size = std::min<Cycles>(w.type.sizeInBytes(), 4);
  const auto n = w.elements * w.type.sizeInBytes() / size;
  const bool special = adds && (words ? n == 2 || n == 4 : size == 2 && n == 4);
  const auto atom = std::max<Cycles>(1, spec.atomicStoreGranularity / size);
  Cycles each = words ? 11 : 13;
  if (!inWords)
    each += 20 * n;
  else if (special)
    each = words ? 4 * n : 9;
  else
    each += 3 * (std::max(n / atom, Cycles{1}) - 1);
  Cycles worker = 3 + (words ? 29 + 6 : 30 + 4) - special + each * w.inside;
  worker += w.searched > 0 ? searched(w) + 15 : 5 * w.outside;
  return supervised(spec, 0, worker);
}

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
