// The requantization of sums of products: how a tail makes bytes or floats of them.
#ifndef popir_kernels_contraction_requantization_hpp
#define popir_kernels_contraction_requantization_hpp

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/contraction/words.hpp"
#include "kernels/elementwise/forms.hpp"
#include "kernels/kernel.hpp"

namespace popir {

/// What becomes of a sum, in this order:
///  - float(sum + bias) * factor, plus offset if there is one;
///  - x < 0 ? 0 : x, if `isRectified`;
///  - round(x) + zero, if `isRounded`: to the nearest, ties to even;
///  - if `to` is a byte, the least or the greatest one for what is out of range, 0 for NaN.
struct Requantization {
  /// An operand of the tail, or a number.
  struct Term {
    std::size_t operand = 0;   ///< input of the tail's program; 0: none
    bool hasChannels = false;  ///< one element for each channel, or column
    std::uint64_t bits = 0;    ///< if there is no operand
  };
  Term bias, factor, zero;     ///< of INT, FLOAT, FLOAT
  std::optional<Term> offset;  ///< of FLOAT
  bool isRectified = false, isRounded = false;
  poplar::Type to = poplar::FLOAT;  ///< or, if `isRounded`, SIGNED_CHAR or UNSIGNED_CHAR
};

/// Nothing if the tail is none. `channels` is the extent of operands that have one element for each
/// channel or column.
std::optional<Requantization> requantizationOf(const Tail& tail, Tail::Extent channels);

/// The terms for `n` channels from `channel` on; `operands` are those of the tail. Sums lack
/// `factors[j] * each`, if there are factors: that goes into the bias.
RequantizationTerms termsOf(const Requantization& made, void* const* operands, std::int64_t channel,
                            std::int64_t n, const std::int32_t* factors = nullptr,
                            std::int32_t each = 0);

/// The bytes of an element of the result; those of INT without a requantization.
std::int64_t bytesOfResult(const std::optional<Requantization>& made);

/// The tail that does nothing to sums.
std::shared_ptr<const Tail> tailOfSums();

/// Checks the operands of a tail for `channels` channels, and that the written one, `out`, has the
/// type that it makes.
void requireTail(const Tail& tail, Tail::Extent channels, const std::vector<OperandInfo>& operands,
                 std::size_t out, std::int64_t count);

}  // namespace popir

#endif
