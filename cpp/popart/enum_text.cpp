// The names of values of enumerations.
#include <popart/dataflow.hpp>
#include <popart/error.hpp>
#include <popart/op.hpp>
#include <popart/optimizer.hpp>
#include <popart/sessionoptions.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>

namespace popart {
namespace {

template <class E>
const char* nameOf(E value, std::initializer_list<const char*> names) {
  const auto number = static_cast<std::size_t>(value);
  if (number >= names.size())
    throw error("An enumeration of {} values has none of the number {}", names.size(), number);
  return names.begin()[number];
}

}  // namespace

#define POPIR_TEXT(NAME, ...)                                     \
  std::ostream& operator<<(std::ostream& os, const NAME& value) { \
    return os << nameOf(value, {__VA_ARGS__});                    \
  }
POPIR_TEXT(TensorStorage, "OnChip", "OffChip")
POPIR_TEXT(TileSet, "Compute", "IO", "Undefined")
POPIR_TEXT(ExchangeStrategy, "JustInTime", "OverlapInnerLoop", "OverlapLoops", "OverlapStep")
POPIR_TEXT(ReplicatedTensorSharding, "Off", "On")
POPIR_TEXT(ReplicatedStreamMode, "Broadcast", "Replicate")
POPIR_TEXT(ReductionType, "Sum", "Mean", "NoReduction")
POPIR_TEXT(WeightDecayMode, "Decay", "L2Regularization")
POPIR_TEXT(AnchorReturnTypeId, "Final", "EveryN", "All", "Sum")
#undef POPIR_TEXT

#define POPIR_TEXT(NAME, ...)                                      \
  std::string toString(const NAME& value) {                        \
    return std::string(#NAME "::") + nameOf(value, {__VA_ARGS__}); \
  }                                                                \
  std::ostream& operator<<(std::ostream& os, const NAME& value) { return os << toString(value); }
POPIR_TEXT(RecomputationType, "None", "Standard", "NormOnly", "Pipeline", "RecomputeAll")
POPIR_TEXT(VirtualGraphMode, "Off", "Manual", "Auto", "ExecutionPhases")
POPIR_TEXT(AutodiffStitchStrategy, "RecomputeMinimal", "RecomputeAllNonInputs", "AddFwdOutputs",
           "SafeAddFwdOutputs")
#undef POPIR_TEXT

std::ostream& operator<<(std::ostream& os, const InputSettings& settings) {
  return os << "InputSettings[" << settings.exchangeStrategy() << ", " << settings.tileSet() << "]";
}

namespace {

template <class ENUM>
ENUM valueAt(const std::vector<int64_t>& serialized, std::size_t place, ENUM end) {
  const int64_t value = serialized[place];
  if (value < 0 || value >= static_cast<int64_t>(end))
    throw error("No location of a tensor: {} at place {} is none of the values 0 to {}", value,
                place, static_cast<int64_t>(end) - 1);
  return static_cast<ENUM>(value);
}

const std::vector<int64_t>& sixOf(const std::vector<int64_t>& serialized) {
  if (serialized.size() != 6 || serialized[5] < 0)
    throw error("A location of a tensor is six numbers, the last one 0 or larger; this is {}",
                serialized);
  return serialized;
}

}  // namespace

TensorLocation::TensorLocation(const std::vector<int64_t>& serialized)
    : storage(valueAt(sixOf(serialized), 0, TensorStorage::N)),
      loadTileSet(valueAt(serialized, 1, TileSet::N)),
      storageTileSet(valueAt(serialized, 2, TileSet::N)),
      replicatedTensorSharding(valueAt(serialized, 3, ReplicatedTensorSharding::N)),
      shardingDomain(valueAt(serialized, 4, CommGroupType::N),
                     static_cast<unsigned>(serialized[5])) {}

std::vector<int64_t> TensorLocation::serialize() const {
  return {static_cast<int64_t>(storage),
          static_cast<int64_t>(loadTileSet),
          static_cast<int64_t>(storageTileSet),
          static_cast<int64_t>(replicatedTensorSharding),
          static_cast<int64_t>(shardingDomain.type),
          static_cast<int64_t>(shardingDomain.replicaGroupSize)};
}

std::ostream& operator<<(std::ostream& os, const TensorLocation& location) {
  return os << "(" << location.storage << ", loadTileSet=" << location.loadTileSet
            << ", storageTileSet=" << location.storageTileSet
            << ", RTS=" << location.replicatedTensorSharding
            << ", shardingDomain=" << location.shardingDomain << ")";
}

}  // namespace popart
