#include "kernels/reduction/histogram.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/check.hpp"
#include "kernels/half.hpp"
#include "kernels/parallel.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<HistogramKernel> kSavedHistogram("histogram");

constexpr std::int64_t kCounted = 32 * 1024;  // elements of a task

template <class T>
class HistogramRunner : public Runner {
 public:
  HistogramRunner(bool absolute, const std::vector<Layout>& operands, unsigned threads)
      : absolute_(absolute),
        elements_(operands[0].elements()),
        levels_(operands[1].elements()),
        inFloat_(operands[2].type == poplar::FLOAT),
        threads_(threads) {}

  std::size_t scratchBytes() const override {
    return static_cast<std::size_t>(tasks() * (levels_ + 1)) * sizeof(std::uint32_t);
  }

  void run(void* const* operands, void* scratch) const override {
    const auto* in = static_cast<const T*>(operands[0]);
    const auto* levels = static_cast<const T*>(operands[1]);
    auto* all = static_cast<std::uint32_t*>(scratch);
    const auto row = levels_ + 1;
    // Of each block: elements below the first level, then those not below each level.
    parallelFor(tasks(), threads_, elements_ * levels_, [&](std::int64_t task) {
      auto* counts = all + task * row;
      std::fill_n(counts, row, 0U);
      const auto end = std::min((task + 1) * kCounted, elements_);
      for (auto i = task * kCounted; i < end; ++i) {
        const float given = static_cast<float>(in[i]), x = absolute_ ? std::fabs(given) : given;
        counts[0] += x < static_cast<float>(levels[0]);
        for (std::int64_t l = 0; l < levels_; ++l)
          counts[l + 1] += x >= static_cast<float>(levels[l]);
      }
    });
    for (std::int64_t l = 0; l < row; ++l) {
      std::uint32_t sum = 0;
      for (std::int64_t task = 0; task < tasks(); ++task) {
        sum += all[task * row + l];
        if (l > 0 && l < levels_) sum -= all[task * row + l + 1];
      }
      if (inFloat_)
        static_cast<float*>(operands[2])[l] = static_cast<float>(sum);
      else
        static_cast<std::uint32_t*>(operands[2])[l] = sum;
    }
  }

 private:
  std::int64_t tasks() const {
    return std::max<std::int64_t>(1, (elements_ + kCounted - 1) / kCounted);
  }

  bool absolute_;
  std::int64_t elements_, levels_;
  bool inFloat_;
  unsigned threads_;
};

}  // namespace

std::unique_ptr<Runner> HistogramKernel::prepare(const std::vector<Layout>& operands,
                                                 const Setting& setting) const {
  if (operands[0].type == poplar::HALF)
    return std::make_unique<HistogramRunner<half>>(absolute_, operands, setting.threads);
  return std::make_unique<HistogramRunner<float>>(absolute_, operands, setting.threads);
}

void HistogramKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, 3);
  const auto &in = operands[0], &levels = operands[1], &counts = operands[2];
  require(in.type == poplar::FLOAT || in.type == poplar::HALF,
          "a histogram is of FLOAT or HALF elements");
  require(counts.type == poplar::UNSIGNED_INT || counts.type == poplar::FLOAT,
          "a histogram counts in UNSIGNED_INT or FLOAT");
  require(elementsOf(levels) > 0, "a histogram has a level");
  requireOperand(in, Access::Read, in.type, {elementsOf(in)});
  requireOperand(levels, Access::Read, in.type, {elementsOf(levels)});
  requireOperand(counts, Access::Write, counts.type, {elementsOf(levels) + 1});
}

Work HistogramKernel::work(const std::vector<Layout>& operands) const {
  return {"popops::Histogram1D",
          HistogramWork{operands[0].type, static_cast<std::uint64_t>(operands[0].elements()),
                        static_cast<std::uint64_t>(operands[1].elements()), absolute_}};
}

}  // namespace popir
