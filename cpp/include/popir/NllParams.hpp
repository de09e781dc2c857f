// Options of the negative log likelihood loss. popir's own.
#ifndef popir_NllParams_hpp
#define popir_NllParams_hpp

#include <cstdint>
#include <tuple>

namespace popir {

/// None: one loss per sample; Sum, Mean: a scalar.
enum class LossReduction { None, Sum, Mean };
/// The last enumerator, for serialization.
constexpr LossReduction lastOf(LossReduction) { return LossReduction::Mean; }

/// Options of nllLoss(). Samples with label ignoreIndex do not count if hasIgnoreIndex.
struct NllParams {
  LossReduction reduction = LossReduction::Mean;
  bool inputIsLogProbability = false;
  bool hasIgnoreIndex = false;
  std::int64_t ignoreIndex = 0;

  /// All members, for serialization.
  auto state() const {
    return std::tie(reduction, inputIsLogProbability, hasIgnoreIndex, ignoreIndex);
  }
};

}  // namespace popir

#endif
