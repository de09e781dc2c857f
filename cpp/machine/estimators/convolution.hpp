// How a tile's part of a convolution is divided among workers, and the formulas of its methods.
#ifndef popir_machine_estimators_convolution_hpp
#define popir_machine_estimators_convolution_hpp

#include <algorithm>
#include <numeric>

#include "machine/estimators/formulas.hpp"

namespace popir {

/// The rows of a tile's part of a field: those of all images, and the elements of one that are
/// computed for a kernel element. Where the input is dilated, each kernel element meets some alone.
struct FieldRows {
  Cycles rows = 1, length = 1;

  explicit FieldRows(const ContractionWork& w) : length(w.rows) {
    if (w.field.empty()) return;
    rows = w.batch;
    for (const auto& d : w.field) {
      const auto apart = d.inDilation / std::gcd(d.inDilation, d.stride);
      length = ceilDiv(static_cast<Cycles>(d.output), static_cast<Cycles>(apart));
      if (&d != &w.field.back()) rows *= length;
    }
  }
};

/// Cycles of the fastest and of the slowest worker.
struct WorkerCycles {
  Cycles least = ~Cycles{0}, most = 0;
};

/// Divides the elements of rows among workers, in order, as PopLibs does: a worker has part of a row,
/// whole rows, and part of another. `row` says what it takes for some elements of one.
template <class Row>
WorkerCycles overWorkers(const TargetSpec& spec, const FieldRows& field, const Row& row) {
  const Cycles workers = spec.numWorkerContexts, all = field.rows * field.length;
  WorkerCycles found;
  for (Cycles i = 0; i < workers; ++i) {
    const auto begin = i * all / workers, end = (i + 1) * all / workers;
    Cycles cycles = 0;
    if (begin < end) {
      const auto first = begin / field.length, last = (end - 1) / field.length;
      cycles = first == last ? row(end - begin)
                             : row((first + 1) * field.length - begin) +
                                   (last - first - 1) * (last > first + 1 ? row(field.length) : 0) +
                                   row(end - last * field.length);
    }
    found.least = std::min(found.least, cycles);
    found.most = std::max(found.most, cycles);
  }
  return found;
}

/// Cycles of a tile's part by one of PopLibs' other methods than AMP. `floatSums`: partial sums are
/// floats.
Cycles slidingWindow(const TargetSpec& spec, const ContractionWork& w, ConvGrains grains,
                     bool floatSums);
Cycles horizontalMac(const TargetSpec& spec, const ContractionWork& w, ConvGrains grains,
                     bool floatSums, Estimate estimate);
Cycles verticalMac(const TargetSpec& spec, const ContractionWork& w, ConvGrains grains,
                   bool floatSums);
Cycles outerProduct(const TargetSpec& spec, const ContractionWork& w, ConvGrains grains);

/// Cycles in which workers set a tile's sums to zero, before its vertex.
Cycles zeroingSums(const TargetSpec& spec, const ContractionWork& w, ConvGrains grains,
                   bool floatSums, Estimate estimate);

/// Their grains, as PopLibs has vertices for them.
std::vector<ConvGrains> otherGrains(const TargetSpec& spec, const ContractionWork& w,
                                    bool floatSums);

/// Whether all of a convolution's kernel is one element, and its rows are one: PopLibs has vertices
/// for that alone.
bool isOneByOne(const ContractionWork& w);

}  // namespace popir

#endif
