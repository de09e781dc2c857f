// The requantization of sums of products: how a tail makes bytes of them.
#ifndef popir_kernels_contraction_requantization_hpp
#define popir_kernels_contraction_requantization_hpp

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/elementwise/forms.hpp"

namespace popir {

/// round(float(sum + bias) * factor) + zero as a byte: the least or the greatest one for what is out
/// of range, 0 for NaN. Rounds to the nearest, ties to even.
struct Requantization {
  /// An operand of the tail, or a number.
  struct Term {
    std::size_t operand = 0;   ///< input of the tail's program; 0: none
    bool hasChannels = false;  ///< one element for each channel
    std::uint64_t bits = 0;    ///< if there is no operand
  };
  Term bias, factor, zero;  ///< of INT, FLOAT, FLOAT
  bool isSigned = false;    ///< whether bytes are SIGNED_CHAR, or else UNSIGNED_CHAR
};

/// Nothing if the tail is none.
std::optional<Requantization> requantizationOf(const Tail& tail);

}  // namespace popir

#endif
