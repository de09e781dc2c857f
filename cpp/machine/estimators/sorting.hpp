// The network of PopLibs' topK: its steps, and what a tile takes for its part of one.
#ifndef popir_machine_estimators_sorting_hpp
#define popir_machine_estimators_sorting_hpp

#include <vector>

#include "machine/estimators/formulas.hpp"
#include "machine/stretch.hpp"

namespace popir {

/// A step compares elements of each row that are `distance` apart, and swaps those in the wrong
/// order, which changes every `turn` comparisons. With distance 2 and 7 active elements these are
/// 0 and 2, 1 and 3, 4 and 6.
struct SortStep {
  std::int64_t elements;  // of a row
  std::int64_t active;    // the first of them, which take part
  std::int64_t distance, turn;
  /// The stretches of a row that go on to the next step; none: all of it.
  std::vector<Stretch> kept;

  /// Comparisons of `rows` rows. Rows lie side by side: all of them at a time are compared.
  std::int64_t comparisons(std::int64_t rows) const;
};

/// The steps that leave the `chosen` largest of so many elements, in descending order: a bitonic
/// network sorts sequences of the next power of two, of which it merges two at a time and drops the
/// lower half. None if nothing has to be compared.
std::vector<SortStep> sortSteps(std::int64_t elements, std::int64_t chosen);

/// Cycles of a tile that makes these of a step's comparisons, of keys with values that follow them,
/// if it swaps all. `rows` is as for SortStep::comparisons().
Cycles sortCycles(const TargetSpec& spec, poplar::Type key, const SortStep& step, std::int64_t rows,
                  Stretch comparisons);

}  // namespace popir

#endif
