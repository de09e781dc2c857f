#include "kernels/contraction/divided_sums.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/parallel.hpp"

namespace popir {
namespace contraction {
namespace {

// Activations and their gradients lie row by row, or image by image, and so threads share the steps
// that write them. Where threads share the elements of a gradient of weights, each reads rows that
// others wrote. That is slow, and what follows is slower: a line that two cores have read is slow to
// write again (docs/contractions.md). Where each adds over its own rows, results of the size of the
// weights go between the threads in place of the rows.

/// A result of a part goes between threads twice where a row goes once: others read it, and the next run
/// writes it anew.
constexpr std::int64_t kCrossings = 2;

bool isWorthDividing(const MatMulSpec& s, unsigned threads) {
  constexpr std::int64_t kLeastSteps = 128;
  if (threads == 1 || s.groups != 1 || s.inType != poplar::FLOAT || s.outType != poplar::FLOAT)
    return false;
  if (s.a.row != 1 || s.b.column != 1 || s.k < kLeastSteps * threads) return false;
  // For each step of k, elements that a thread reads if two share rows of C, or columns.
  const std::int64_t read = std::min(s.m / 2 + s.n, s.m + s.n / 2);
  return s.k * read > kCrossings * threads * s.m * s.n;
}

bool isWorthDividing(const ConvSpec& s, unsigned threads) {
  if (threads == 1 || s.pass != Pass::WeightsGradient || s.weights.type != poplar::FLOAT ||
      !s.weights.dense() || s.in.shape[0] % threads != 0)
    return false;
  const auto read = static_cast<std::int64_t>(s.in.elements() + s.out.elements());
  return read > kCrossings * threads * static_cast<std::int64_t>(s.weights.elements());
}

class DividedSums final : public Contraction {
 public:
  /// The contraction of a part: where its operands begin, in elements, and its result.
  struct Part {
    std::shared_ptr<const Contraction> run;
    std::array<std::int64_t, 2> read;
    std::int64_t written;
  };
  /// The result: `rows` of `columns` elements, `step` apart.
  struct Result {
    std::int64_t rows, columns, step;
    float alpha;
    bool accumulate, bias;
  };
  /// `parts` are by thread, as many of each. Operand `result` is written.
  DividedSums(std::vector<Part> parts, std::size_t result, const Result& shape, unsigned threads)
      : parts_(std::move(parts)),
        result_(result),
        shape_(shape),
        threads_(threads),
        sums_(static_cast<std::int64_t>(aligned(sizeof(float) * shape.rows * shape.columns) /
                                        sizeof(float))) {
    for (const Part& p : parts_) scratchBytes_ = std::max(scratchBytes_, p.run->scratchBytes());
  }

  std::string describe() const override { return parts_[0].run->describe() + " in divided sums"; }
  std::size_t workBytes() const override { return threads_ * sumsBytes(); }
  void runPacked(void* const* operands, const void*, void* work) const override {
    const auto count = static_cast<std::int64_t>(parts_.size());
    auto* const sums = static_cast<float*>(work);
    parallelParts(count, 1, threads_, [&](std::int64_t first, std::int64_t last, unsigned) {
      const pool::OwnMemory scratch(scratchBytes_);
      for (std::int64_t i = first; i < last; ++i) {
        const Part& part = parts_[static_cast<std::size_t>(i)];
        std::array<void*, 3> own{};
        for (std::size_t o = 0, n = 0; o < own.size(); ++o)
          own[o] = o == result_ ? sums + i * threads_ / count * sums_ + part.written
                                : static_cast<float*>(operands[o]) + part.read[n++];
        part.run->run(own.data(), scratch.data());
      }
    });
    auto* const to = static_cast<float*>(operands[result_]);
    const auto* const bias = shape_.bias ? static_cast<const float*>(operands[3]) : nullptr;
    parallelFor(shape_.rows, threads_, shape_.rows * shape_.columns, [&](std::int64_t row) {
      add(sums + row * shape_.columns, bias, to + row * shape_.step);
    });
  }

 private:
  std::size_t sumsBytes() const { return sizeof(float) * static_cast<std::size_t>(sums_); }

  /// Adds a row of all threads' results, of which `first` is the first one's.
  void add(const float* first, const float* bias, float* to) const {
    for (std::int64_t j = 0; j < shape_.columns; ++j) {
      float sum = first[j];
      for (std::int64_t t = 1; t < threads_; ++t) sum += first[t * sums_ + j];
      sum *= shape_.alpha;
      if (bias != nullptr) sum += bias[j];
      to[j] = shape_.accumulate ? to[j] + sum : sum;
    }
  }

  std::vector<Part> parts_;
  std::size_t result_;
  Result shape_;
  std::int64_t threads_, sums_;  // sums_: elements from one thread's result to the next
  std::size_t scratchBytes_ = 0;
};

/// Makes parts, those of one shape once.
template <class Spec>
class Parts {
 public:
  explicit Parts(const MakePart<Spec>& make) : make_(make) {}
  /// Null if it cannot be made.
  std::shared_ptr<const Contraction> of(const Spec& spec, std::array<std::int64_t, 2> sizes) {
    for (const auto& [had, run] : made_)
      if (had == sizes) return run;
    made_.emplace_back(sizes, make_(spec));
    return made_.back().second;
  }

 private:
  const MakePart<Spec>& make_;
  std::vector<std::pair<std::array<std::int64_t, 2>, std::shared_ptr<const Contraction>>> made_;
};

}  // namespace

std::int64_t imageStep(const Layout& layout) {
  if (layout.channelBlock == Layout::kPlain) return layout.strides[0];
  return static_cast<std::int64_t>(layout.elements()) / layout.shape[0];
}

std::unique_ptr<Contraction> makeDividedSums(const MatMulSpec& s, unsigned threads,
                                             const MakePart<MatMulSpec>& make) {
  if (!isWorthDividing(s, threads)) return nullptr;
  // Two blocks of columns, so that a thread may take over one that another is late with.
  constexpr std::int64_t kLeastColumns = 128;
  const std::int64_t blocks = s.n >= 2 * kLeastColumns ? 2 : 1;
  Parts<MatMulSpec> made(make);
  std::vector<DividedSums::Part> parts;
  for (std::int64_t t = 0; t < threads; ++t)
    for (std::int64_t j = 0; j < blocks; ++j) {
      const std::int64_t first = s.k * t / threads, column = s.n * j / blocks;
      MatMulSpec own = s;
      own.k = s.k * (t + 1) / threads - first;
      own.n = s.n * (j + 1) / blocks - column;
      own.c = {0, s.n, 1};
      own.alpha = 1;
      own.accumulate = own.bias = false;
      auto run = made.of(own, {own.k, own.n});
      if (run == nullptr) return nullptr;
      parts.push_back({std::move(run), {first * s.a.column, first * s.b.row + column}, column});
    }
  return std::make_unique<DividedSums>(
      std::move(parts), 2, DividedSums::Result{s.m, s.n, s.c.row, s.alpha, s.accumulate, s.bias},
      threads);
}

std::unique_ptr<Contraction> makeDividedSums(const ConvSpec& s, unsigned threads,
                                             const MakePart<ConvSpec>& make) {
  if (!isWorthDividing(s, threads)) return nullptr;
  const std::int64_t images = s.in.shape[0] / threads;
  ConvSpec own = s;
  own.in.shape[0] = own.out.shape[0] = images;
  const std::shared_ptr<const Contraction> run = make(own);
  if (run == nullptr) return nullptr;
  std::vector<DividedSums::Part> parts;
  for (std::int64_t t = 0; t < threads; ++t)
    parts.push_back({run, {t * images * imageStep(s.in), t * images * imageStep(s.out)}, 0});
  const std::int64_t filters = s.weights.shape[0] * s.weights.shape[1];
  const std::int64_t size = static_cast<std::int64_t>(s.weights.elements()) / filters;
  return std::make_unique<DividedSums>(
      std::move(parts), 1, DividedSums::Result{filters, size, size, 1, false, false}, threads);
}

}  // namespace contraction
}  // namespace popir
