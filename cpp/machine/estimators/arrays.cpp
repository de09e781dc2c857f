// Estimators of slices, scans and copies.
#include "machine/estimators/sorting.hpp"

namespace popir {
namespace {

// Slices are divided among workers.
WorkerSlices shared(const TargetSpec& spec, const SlicesWork& w) {
  return {w.type, w.elementsEach, ceilDiv(w.slices, spec.numWorkerContexts)};
}
Cycles single(const TargetSpec& spec, const SlicesWork& w) {
  return dynamicSlice(spec, w.type, w.elementsEach, w.rows);
}
Cycles multiSlice(const TargetSpec& spec, const SlicesWork& w) {
  if (w.rows > 0) return single(spec, w);
  return takeSlices(spec, shared(spec, w), SliceVertex::Read);
}
Cycles multiUpdate(const TargetSpec& spec, const SlicesWork& w) {
  if (w.rows > 0) return single(spec, w);
  return takeSlices(spec, shared(spec, w), SliceVertex::Update);
}
Cycles multiUpdateAdd(const TargetSpec& spec, const SlicesWork& w) {
  const auto bytes = w.elementsEach * w.type.sizeInBytes();
  return combineSlices(spec, shared(spec, w), true, w.scale,
                       bytes % spec.atomicStoreGranularity == 0);
}
// Its vertices are of floats, halves and integers of 32 bits.
Formula ofWords(const SlicesWork& w) {
  const bool known = w.type == poplar::FLOAT || w.type == poplar::HALF || w.type == poplar::INT ||
                     w.type == poplar::UNSIGNED_INT;
  return known ? Formula::Published : Formula::Guess;
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

// Slices of eight bytes that are scaled and added, or of four floats, have a path of their own.
Cycles combineSlices(const TargetSpec& spec, const WorkerSlices& w, bool adds, SliceScale scale,
                     bool inWords) {
  const bool words = w.type.sizeInBytes() >= 4, scaled = scale != SliceScale::None;
  const Cycles inFloat = scale == SliceScale::Float;
  const auto size = std::min<Cycles>(w.type.sizeInBytes(), 4);
  const auto n = w.elements * w.type.sizeInBytes() / size;
  const bool special = adds && scaled && (words ? n == 2 || n == 4 : size == 2 && n == 4);
  const auto atom = std::max<Cycles>(1, spec.atomicStoreGranularity / size);
  Cycles each = words ? 11 : scaled ? 13 : 12;
  if (!inWords)
    each += 20 * n;
  else if (special)
    each = words ? 4 * n : 9 + 3 * inFloat;
  else
    each += (3 + inFloat) * (std::max(n / atom, Cycles{1}) - 1);
  const Cycles start = (words ? 29 : 30) + (scaled ? (words ? 6 : 4) : 0);
  Cycles worker = 3 + start - special + each * w.inside;
  worker += w.searched > 0 ? searched(w) + 15 : 5 * w.outside;
  return supervised(spec, 0, worker);
}

// As PopLibs' DynamicSlice1D and DynamicUpdateSlice1D, which take a slice row by row.
Cycles dynamicSlice(const TargetSpec& spec, poplar::Type type, Cycles elements, Cycles rows) {
  if (elements == 0) return 0;
  const bool bytes = type.sizeInBytes() == 1;
  const auto words = std::max<Cycles>(1, type.sizeInBytes() / 4);
  const auto each = ceilDiv(words * (elements / rows), spec.numWorkerContexts);
  const auto vectors = each / (bytes ? 4 : spec.dataPathWidth / 8 / (type.sizeInBytes() / words));
  return supervised(spec, 25, (bytes ? 76 : 39) + rows * ((bytes ? 72 : 24) + 2 * vectors));
}

std::vector<VertexClass> arrayClasses() {
  return {published("popops::MultiSlice", multiSlice),
          published("popops::MultiUpdate", multiUpdate),
          vertexClass("popops::MultiUpdateAdd", ofWords, multiUpdateAdd),
          guessed("popops::Scan", scan),
          guessed("popops::ScanProductGradient", scanProductGradient),
          vertexClass<SortedRowsWork>("popops::TopK", topKFormula, topK),
          published("poplar::Copy", copy)};
}

}  // namespace popir
