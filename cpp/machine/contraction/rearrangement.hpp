// Rearrangements of a contraction's operands and result, as PopLibs' planner charges them.
#ifndef popir_machine_contraction_rearrangement_hpp
#define popir_machine_contraction_rearrangement_hpp

#include "machine/estimators/formulas.hpp"

namespace popir {

/// A copy of an operand to another order of elements, with an exchange.
struct Rearrangement {
  /// Bytes on a tile; those of them that come from other tiles; cycles of the copy.
  Cycles bytes = 0, received = 0, copyCycles = 0;

  Cycles exchangeCycles(const TargetSpec& spec) const {
    return ceilDiv(received, spec.exchangeBytesPerCycle);
  }
  /// What one of so many steps has of it.
  Rearrangement in(Cycles steps) const {
    return {ceilDiv(bytes, steps), ceilDiv(received, steps), ceilDiv(copyCycles, steps)};
  }
};

/// The rearrangement of `elements` elements, spread evenly over `tiles` tiles, one by one. `channels` is
/// the number of channels that trade places: a number that vectors do not divide takes longer.
Rearrangement rearrangement(const TargetSpec& spec, poplar::Type type, Cycles elements,
                            Cycles tiles, Cycles channels);

/// The same within the tiles, in pieces of `together` elements.
Rearrangement regrouping(const TargetSpec& spec, poplar::Type type, Cycles elements, Cycles tiles,
                         Cycles channels, Cycles together);

}  // namespace popir

#endif
