// The stages in which tiles add up the partial sums of a contraction.
#ifndef popir_machine_contraction_reduction_hpp
#define popir_machine_contraction_reduction_hpp

#include <vector>

#include "machine/estimators/formulas.hpp"

namespace popir {

/// A stage: groups of `together` tiles have partial sums of the same elements. Each of these tiles
/// adds up `outputs` of the elements, and receives `received` bytes of the others' partial sums.
struct ReductionStage {
  Cycles together = 1, outputs = 0, received = 0, cycles = 0;
};

/// The stages that add up `partials` partial sums of `elements` elements, of a tile's part of a
/// contraction: one, two or three of them, as PopLibs plans it; one without `multiStageReduce`. With a single partial sum: one stage without exchange if the sums
/// have another type than the result, else none.
std::vector<ReductionStage> reductionStages(const TargetSpec& spec, const ContractionWork& part,
                                            Cycles elements, Cycles partials, poplar::Type sums,
                                            poplar::Type result);

/// Cycles to convert `elements` elements that a convolution has made, as PopLibs has them.
Cycles conversion(const TargetSpec& spec, Cycles elements, poplar::Type from, poplar::Type to);

}  // namespace popir

#endif
