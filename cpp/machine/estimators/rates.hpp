// The loops of PopLibs' element-wise vertices: cycles for one turn, and how many elements it takes.
#ifndef popir_machine_estimators_rates_hpp
#define popir_machine_estimators_rates_hpp

#include <optional>
#include <poplar/Type.hpp>

#include "workload/work.hpp"

namespace popir {

/// The form of an element-wise vertex. Scalar: the second operand has one element.
enum class RateForm { OutOfPlace, InPlace, Scalar, ScalarInPlace };

/// A turn of the loop takes `cycles` for `unroll` elements.
struct Rate {
  /// Special values of `unroll`: one vector, or one element. What loads and stores take is added.
  static constexpr unsigned kVector = 0, kElement = 1000;

  unsigned cycles = 0, unroll = 0;
};

/// The rate in PopLibs' tables; none for operators and types that they lack.
std::optional<Rate> publishedRate(Operator op, poplar::Type type, RateForm form);

/// That rate, or one of compiled C++, element by element: a guess.
Rate rateOf(Operator op, poplar::Type type, RateForm form);

/// Types that are computed with floating point: all but quarter.
bool isFloating(poplar::Type type);

}  // namespace popir

#endif
