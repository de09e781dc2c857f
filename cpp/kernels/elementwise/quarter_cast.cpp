#include "kernels/elementwise/quarter_cast.hpp"

#include <algorithm>
#include <type_traits>

#include "kernels/check.hpp"
#include "kernels/half.hpp"
#include "kernels/parallel.hpp"
#include "kernels/quarter.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<QuarterCastKernel> kSavedQuarterCast("quarter cast");

constexpr std::int64_t kCastAtOnce = 1024;  // elements of a task

/// Casts from or to T, float or half.
template <class T, bool fromQuarter>
class QuarterCastRunner : public Runner {
 public:
  QuarterCastRunner(std::size_t elements, const Setting& setting)
      : elements_(static_cast<std::int64_t>(elements)), setting_(setting) {}

  void run(void* const* operands, void*) const override {
    const auto byte = *static_cast<const MetadataType*>(operands[2]);
    const auto values = fromQuarter ? quarterValues(byte) : std::array<float, 256>();
    const auto metadata = poplar::unpackMetadata(&byte);
    const auto tasks = (elements_ + kCastAtOnce - 1) / kCastAtOnce;
    parallelFor(tasks, setting_.threads, elements_, [&](std::int64_t task) {
      const auto first = task * kCastAtOnce, n = std::min(kCastAtOnce, elements_ - first);
      std::array<float, kCastAtOnce> floats;
      if constexpr (fromQuarter) {
        const auto* codes = static_cast<const unsigned char*>(operands[0]) + first;
        auto* to = static_cast<T*>(operands[1]) + first;
        float* out;
        if constexpr (kIsHalf<T>)
          out = floats.data();
        else
          out = to;
        for (std::int64_t i = 0; i < n; ++i) out[i] = values[codes[i]];
        if constexpr (kIsHalf<T>) fromFloats(out, to, n, setting_.rounding, first);
      } else {
        const auto* from = static_cast<const T*>(operands[0]) + first;
        auto* codes = static_cast<unsigned char*>(operands[1]) + first;
        if constexpr (kIsHalf<T>)
          toFloats(from, floats.data(), n);
        else
          std::copy_n(from, n, floats.begin());
        for (std::int64_t i = 0; i < n; ++i)
          codes[i] = quarterCode(floats[static_cast<std::size_t>(i)], mantissaBits(metadata),
                                 metadata.scale, true);
      }
    });
  }

 private:
  const std::int64_t elements_;
  const Setting setting_;
};

template <class T>
std::unique_ptr<Runner> castRunner(bool fromQuarter, std::size_t elements, const Setting& setting) {
  if (fromQuarter) return std::make_unique<QuarterCastRunner<T, true>>(elements, setting);
  return std::make_unique<QuarterCastRunner<T, false>>(elements, setting);
}

}  // namespace

std::unique_ptr<Runner> QuarterCastKernel::prepare(const std::vector<Layout>& operands,
                                                   const Setting& setting) const {
  const bool fromQuarter = from_ == poplar::QUARTER;
  const auto elements = operands[0].elements();
  return (fromQuarter ? to_ : from_) == poplar::HALF
             ? castRunner<half>(fromQuarter, elements, setting)
             : castRunner<float>(fromQuarter, elements, setting);
}

void QuarterCastKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, 3);
  const auto other = from_ == poplar::QUARTER ? to_ : from_;
  require((from_ == poplar::QUARTER || to_ == poplar::QUARTER) &&
              (other == poplar::FLOAT || other == poplar::HALF),
          "the cast is not one between quarter and float or half");
  requireOperand(operands[0], Access::Read, from_, operands[0].shape);
  requireOperand(operands[1], Access::Write, to_, operands[0].shape);
  requireOperand(operands[2], Access::Read, poplar::UNSIGNED_CHAR, {1});
}

Work QuarterCastKernel::work(const std::vector<Layout>& operands) const {
  const auto n = static_cast<std::uint64_t>(operands[0].elements());
  if (isInstruction_) return {"popops::Cast1D", CastWork{from_, n, to_}};
  ExpressionWork work{poplar::FLOAT, n, 1, 1, 1};
  if (from_ == poplar::QUARTER)
    work.operators = {{Operator::CAST, 2}, {Operator::MULTIPLY, 1}};
  else
    work.operators = {{Operator::MULTIPLY, 1},
                      {Operator::BITWISE_AND, 2},
                      {Operator::BITWISE_OR, 1},
                      {Operator::SHIFT_LEFT, 1},
                      {Operator::CAST, 4}};
  return {"popops::MapExpr", work};
}

}  // namespace popir
