#include "kernels/loss/ctc.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "kernels/check.hpp"
#include "kernels/parallel.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<CtcLossKernel> kSavedLoss("ctc loss");
const SavedKernel<CtcSearchKernel> kSavedSearch("ctc search");

struct CtcSizes {
  std::size_t time, batch, classes;

  explicit CtcSizes(const std::vector<std::int64_t>& shape)
      : time(static_cast<std::size_t>(shape[0])),
        batch(static_cast<std::size_t>(shape[1])),
        classes(static_cast<std::size_t>(shape[2])) {}
  std::int64_t elements() const { return static_cast<std::int64_t>(time * batch * classes); }
};

constexpr double kNever = -std::numeric_limits<double>::infinity();

double logAdd(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kNever ? a : a + std::log1p(std::exp(b - a));
}

[[noreturn]] void refuseSample(std::size_t sample, const std::string& what) {
  throw poplar::application_runtime_error("popnn::ctc: sample " + std::to_string(sample) + " has " +
                                          what);
}

bool isWithin(int n, std::size_t most) { return n >= 0 && static_cast<std::size_t>(n) <= most; }

/// The loss of a sample and, unless null, its gradient. Forward and backward sums over the labels
/// with blanks between them.
double lossOf(const float* data, const int* labels, std::size_t steps, std::size_t count,
              const CtcSizes& s, std::size_t sample, const CtcLossSpec& spec, float* gradient) {
  const auto logp = [&](std::size_t t, std::size_t c) {
    return static_cast<double>(data[(t * s.batch + sample) * s.classes + c]);
  };
  const std::size_t n = 2 * count + 1;
  const auto symbol = [&](std::size_t i) {
    return i % 2 == 0 ? spec.blank : static_cast<std::size_t>(labels[i / 2]);
  };
  const auto skips = [&](std::size_t i) {
    return i >= 2 && i % 2 == 1 && symbol(i) != symbol(i - 2);
  };
  const pool::OwnArray<double> alpha(steps * n), beta(steps * n);
  std::fill_n(alpha.begin(), steps * n, kNever);
  for (std::size_t t = 0; t < steps; ++t)
    for (std::size_t i = 0; i < n; ++i) {
      double sum = kNever;
      if (t == 0) {
        sum = i < 2 ? 0.0 : kNever;
      } else {
        const double* before = &alpha[(t - 1) * n];
        sum = before[i];
        if (i >= 1) sum = logAdd(sum, before[i - 1]);
        if (skips(i)) sum = logAdd(sum, before[i - 2]);
      }
      alpha[t * n + i] = sum + logp(t, symbol(i));
    }
  double whole = kNever;
  if (steps == 0)
    whole = count == 0 ? 0.0 : kNever;
  else
    for (std::size_t i = n - std::min<std::size_t>(n, 2); i < n; ++i)
      whole = logAdd(whole, alpha[(steps - 1) * n + i]);
  const bool never = whole == kNever;
  if (gradient != nullptr && !(never && spec.zeroInfinity)) {
    for (std::size_t t = steps; t-- > 0;)
      for (std::size_t i = n; i-- > 0;) {
        double sum = kNever;
        if (t + 1 == steps) {
          sum = i + 2 >= n ? 0.0 : kNever;
        } else {
          const double* after = &beta[(t + 1) * n];
          const auto next = [&](std::size_t j) { return after[j] + logp(t + 1, symbol(j)); };
          sum = next(i);
          if (i + 1 < n) sum = logAdd(sum, next(i + 1));
          if (i + 2 < n && skips(i + 2)) sum = logAdd(sum, next(i + 2));
        }
        beta[t * n + i] = sum;
      }
    const pool::OwnArray<double> share(s.classes);
    for (std::size_t t = 0; t < steps; ++t) {
      std::fill_n(share.begin(), s.classes, kNever);
      for (std::size_t i = 0; i < n; ++i)
        share[symbol(i)] = logAdd(share[symbol(i)], alpha[t * n + i] + beta[t * n + i]);
      for (std::size_t c = 0; c < s.classes; ++c) {
        const double posterior = share[c] == kNever ? 0.0 : std::exp(share[c] - whole);
        const double p = spec.ofLogits ? std::exp(logp(t, c)) : 0.0;
        gradient[(t * s.batch + sample) * s.classes + c] = static_cast<float>(p - posterior);
      }
    }
  }
  return never && spec.zeroInfinity ? 0.0 : -whole;
}

class CtcLossRunner : public Runner {
 public:
  CtcLossRunner(const CtcLossSpec& spec, const std::vector<Layout>& operands, unsigned threads)
      : spec_(spec),
        sizes_(operands[0].shape),
        labels_(static_cast<std::size_t>(operands[1].shape[1])),
        threads_(threads) {}

  void run(void* const* operands, void*) const override {
    const auto* data = static_cast<const float*>(operands[0]);
    const auto* labels = static_cast<const int*>(operands[1]);
    const auto* steps = static_cast<const int*>(operands[2]);
    const auto* counts = static_cast<const int*>(operands[3]);
    auto* losses = static_cast<float*>(operands[4]);
    auto* gradient = spec_.writesGradient ? static_cast<float*>(operands[5]) : nullptr;
    if (gradient != nullptr) std::fill_n(gradient, sizes_.elements(), 0.0f);
    parallelFor(
        static_cast<std::int64_t>(sizes_.batch), threads_, sizes_.elements(), [&](std::int64_t i) {
          const auto b = static_cast<std::size_t>(i);
          const int* own = labels + b * labels_;
          checkSample(b, own, steps[b], counts[b]);
          losses[b] = static_cast<float>(lossOf(data, own, static_cast<std::size_t>(steps[b]),
                                                static_cast<std::size_t>(counts[b]), sizes_, b,
                                                spec_, gradient));
        });
  }

 private:
  void checkSample(std::size_t b, const int* labels, int steps, int count) const {
    if (!isWithin(steps, sizes_.time) || !isWithin(count, labels_))
      refuseSample(b, std::to_string(steps) + " steps and " + std::to_string(count) +
                          " labels; there is room for " + std::to_string(sizes_.time) + " and " +
                          std::to_string(labels_));
    for (int i = 0; i < count; ++i)
      if (labels[i] < 0 || static_cast<std::size_t>(labels[i]) >= sizes_.classes)
        refuseSample(b, "the label " + std::to_string(labels[i]) + "; there are " +
                            std::to_string(sizes_.classes) + " classes");
  }

  CtcLossSpec spec_;
  CtcSizes sizes_;
  std::size_t labels_;
  unsigned threads_;
};

struct Path {
  // Logarithms of the probabilities to end with a blank, and with the last label.
  double blank = kNever, label = kNever;
  double whole() const { return logAdd(blank, label); }
};
using Prefix = std::vector<unsigned>;
using Beams = std::map<Prefix, Path>;

std::vector<std::pair<Prefix, double>> decoded(const float* data, std::size_t steps,
                                               const CtcSizes& s, std::size_t sample,
                                               std::size_t blank, std::size_t width) {
  Beams beams;
  beams[{}].blank = 0.0;
  std::vector<std::pair<Prefix, double>> best;
  for (std::size_t t = 0; t < steps; ++t) {
    const auto logp = [&](std::size_t c) {
      return static_cast<double>(data[(t * s.batch + sample) * s.classes + c]);
    };
    Beams next;
    for (const auto& each : beams) {
      const Prefix& prefix = each.first;
      const Path& path = each.second;
      Path& same = next[prefix];
      same.blank = logAdd(same.blank, path.whole() + logp(blank));
      if (!prefix.empty()) same.label = logAdd(same.label, path.label + logp(prefix.back()));
      for (std::size_t c = 0; c < s.classes; ++c) {
        if (c == blank) continue;
        Prefix longer = prefix;
        longer.push_back(static_cast<unsigned>(c));
        // A label that repeats follows a blank.
        const double from = !prefix.empty() && prefix.back() == c ? path.blank : path.whole();
        Path& extended = next[longer];
        extended.label = logAdd(extended.label, from + logp(c));
      }
    }
    std::vector<Beams::iterator> order;
    for (auto at = next.begin(); at != next.end(); ++at) order.push_back(at);
    const std::size_t kept = std::min(width, order.size());
    std::partial_sort(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
        [](const auto& a, const auto& b) { return a->second.whole() > b->second.whole(); });
    beams.clear();
    for (std::size_t i = 0; i < kept; ++i)
      if (order[i]->second.whole() != kNever) beams.insert(*order[i]);
  }
  for (const auto& each : beams) best.push_back({each.first, each.second.whole()});
  std::stable_sort(best.begin(), best.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return best;
}

class CtcSearchRunner : public Runner {
 public:
  CtcSearchRunner(std::uint64_t blank, std::uint64_t width, const std::vector<Layout>& operands,
                  unsigned threads)
      : blank_(blank),
        width_(width),
        sizes_(operands[0].shape),
        paths_(static_cast<std::size_t>(operands[2].shape[1])),
        threads_(threads) {}

  void run(void* const* operands, void*) const override {
    const auto* data = static_cast<const float*>(operands[0]);
    const auto* steps = static_cast<const int*>(operands[1]);
    auto* probabilities = static_cast<float*>(operands[2]);
    auto* lengths = static_cast<unsigned*>(operands[3]);
    auto* labels = static_cast<unsigned*>(operands[4]);
    std::fill_n(labels, sizes_.batch * paths_ * sizes_.time, static_cast<unsigned>(blank_));
    parallelFor(
        static_cast<std::int64_t>(sizes_.batch), threads_, sizes_.elements(), [&](std::int64_t i) {
          const auto b = static_cast<std::size_t>(i);
          if (!isWithin(steps[b], sizes_.time))
            refuseSample(
                b, std::to_string(steps[b]) + " steps; there are " + std::to_string(sizes_.time));
          const auto best =
              decoded(data, static_cast<std::size_t>(steps[b]), sizes_, b, blank_, width_);
          for (std::size_t k = 0; k < paths_; ++k) {
            const std::size_t at = b * paths_ + k;
            const bool is = k < best.size();
            probabilities[at] =
                is ? static_cast<float>(best[k].second) : -std::numeric_limits<float>::infinity();
            lengths[at] = is ? static_cast<unsigned>(best[k].first.size()) : 0;
            if (is)
              std::copy(best[k].first.begin(), best[k].first.end(), labels + at * sizes_.time);
          }
        });
  }

 private:
  std::uint64_t blank_, width_;
  CtcSizes sizes_;
  std::size_t paths_;
  unsigned threads_;
};

/// Requires data of [time, batch, classes], of which the blank is one.
void requireData(const OperandInfo& data, std::uint64_t blank) {
  require(data.shape.size() == 3 && data.access == Access::Read && data.type == poplar::FLOAT,
          "probabilities are FLOAT [time, batch, classes]");
  require(blank < static_cast<std::uint64_t>(data.shape[2]), "the blank is no class");
}

}  // namespace

std::unique_ptr<Runner> CtcLossKernel::prepare(const std::vector<Layout>& operands,
                                               const Setting& setting) const {
  return std::make_unique<CtcLossRunner>(spec_, operands, setting.threads);
}

void CtcLossKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, spec_.writesGradient ? 6 : 5);
  requireData(operands[0], spec_.blank);
  const auto batch = operands[0].shape[1];
  require(operands[1].shape.size() == 2, "labels have two dimensions");
  requireOperand(operands[1], Access::Read, poplar::INT, {batch, operands[1].shape[1]});
  requireOperand(operands[2], Access::Read, poplar::INT, {batch});
  requireOperand(operands[3], Access::Read, poplar::INT, {batch});
  requireOperand(operands[4], Access::Write, poplar::FLOAT, {batch});
  if (spec_.writesGradient)
    requireOperand(operands[5], Access::Write, poplar::FLOAT, operands[0].shape);
}

Work CtcLossKernel::work(const std::vector<Layout>& operands) const {
  const auto& shape = operands[0].shape;
  const auto steps = static_cast<std::uint64_t>(shape[0] * shape[1]);
  const auto states = static_cast<std::uint64_t>(2 * operands[1].shape[1] + 1);
  return {spec_.writesGradient ? "popnn::CTCGradGivenAlpha" : "popnn::CTCAlpha",
          RowsWork{operands[0].type, steps, states}};
}

std::unique_ptr<Runner> CtcSearchKernel::prepare(const std::vector<Layout>& operands,
                                                 const Setting& setting) const {
  return std::make_unique<CtcSearchRunner>(blank_, width_, operands, setting.threads);
}

void CtcSearchKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, 5);
  requireData(operands[0], blank_);
  const auto time = operands[0].shape[0], batch = operands[0].shape[1];
  requireOperand(operands[1], Access::Read, poplar::INT, {batch});
  require(operands[2].shape.size() == 2, "probabilities of paths have two dimensions");
  const auto paths = operands[2].shape[1];
  require(width_ > 0 && static_cast<std::uint64_t>(paths) <= width_,
          "there are more paths than prefixes");
  requireOperand(operands[2], Access::Write, poplar::FLOAT, {batch, paths});
  requireOperand(operands[3], Access::Write, poplar::UNSIGNED_INT, {batch, paths});
  requireOperand(operands[4], Access::Write, poplar::UNSIGNED_INT, {batch, paths, time});
}

Work CtcSearchKernel::work(const std::vector<Layout>& operands) const {
  const auto& shape = operands[0].shape;
  const auto steps = static_cast<std::uint64_t>(shape[0] * shape[1]);
  return {"popnn::CTCGenerateExtendCandidates",
          RowsWork{operands[0].type, steps, width_ * static_cast<std::uint64_t>(shape[2])}};
}

}  // namespace popir
