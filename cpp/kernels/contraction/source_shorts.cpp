#include <algorithm>
#include <vector>

#include "kernels/contraction/shorts.hpp"
#include "kernels/contraction/words.hpp"
#include "kernels/parallel.hpp"

namespace popir {
namespace contraction {
namespace {

class ShortsMatMul final : public Contraction {
 public:
  ShortsMatMul(const MatMulSpec& spec, unsigned threads)
      : s_(spec),
        kernel_(shortsKernel()),
        threads_(threads),
        pairs_((spec.k + 1) / 2),
        panels_((spec.n + kernel_.columns - 1) / kernel_.columns),
        panelElements_(2 * pairs_ * kernel_.columns),
        aIsPaired_(spec.a.column == 1 && spec.k % 2 == 0),
        aBytes_(aIsPaired_ ? 0 : aligned(sizeof(std::int16_t) * spec.m * 2 * pairs_)) {}

  std::string describe() const override { return std::string("shorts ") + kernel_.name; }

  std::size_t packedBytes() const override {
    const std::int64_t groups = s_.b.group == 0 ? 1 : s_.groups;
    return sizeof(std::int16_t) * groups * panels_ * panelElements_;
  }
  void pack(const void* weights, void* packed) const override {
    const auto* b = static_cast<const std::int16_t*>(weights);
    auto* to = static_cast<std::int16_t*>(packed);
    const std::int64_t groups = s_.b.group == 0 ? 1 : s_.groups;
    parallelFor(groups * panels_, threads_, groups * s_.k * s_.n, [&](std::int64_t i) {
      packPanel(b + i / panels_ * s_.b.group, i % panels_ * kernel_.columns,
                to + i * panelElements_);
    });
  }

  // For each group: A in pairs, if it does not lie so.
  std::size_t workBytes() const override { return (s_.a.group == 0 ? 1 : s_.groups) * aBytes_; }

  void runPacked(void* const* operands, const void* packed, void* work) const override {
    const auto* a = static_cast<const std::int16_t*>(operands[0]);
    auto* c = static_cast<std::int32_t*>(operands[2]);
    std::int64_t aGroup = s_.a.group, aRow = s_.a.row;
    if (!aIsPaired_) {
      a = paired(a, static_cast<std::int16_t*>(work));
      aRow = 2 * pairs_;
      aGroup = s_.a.group == 0 ? 0 : static_cast<std::int64_t>(aBytes_ / sizeof(std::int16_t));
    }
    parallelFor(s_.groups * panels_, threads_, s_.groups * s_.m * s_.n * pairs_,
                [&](std::int64_t i) {
                  const std::int64_t group = i / panels_, panel = i % panels_;
                  const std::int64_t p = (s_.b.group == 0 ? 0 : group) * panels_ + panel;
                  runPanel(a + group * aGroup, aRow,
                           static_cast<const std::int16_t*>(packed) + p * panelElements_,
                           panel * kernel_.columns, c + group * s_.c.group);
                });
  }

 private:
  static constexpr std::int64_t kRowsOfEdge = 24;

  void packPanel(const std::int16_t* b, std::int64_t first, std::int16_t* to) const {
    for (std::int64_t k = 0; k < 2 * pairs_; k += 2)
      for (std::int64_t j = 0; j < kernel_.columns; ++j)
        for (std::int64_t half = 0; half < 2; ++half)
          *to++ = first + j < s_.n && k + half < s_.k
                      ? b[(k + half) * s_.b.row + (first + j) * s_.b.column]
                      : std::int16_t{0};
  }

  const std::int16_t* paired(const std::int16_t* a, std::int16_t* to) const {
    const std::int64_t groups = s_.a.group == 0 ? 1 : s_.groups;
    parallelFor(groups * s_.m, threads_, groups * s_.m * s_.k, [&](std::int64_t i) {
      const std::int64_t group = i / s_.m, row = i % s_.m;
      const std::int16_t* from = a + group * s_.a.group + row * s_.a.row;
      std::int16_t* own = static_cast<std::int16_t*>(at(to, group * aBytes_)) + row * 2 * pairs_;
      for (std::int64_t k = 0; k < s_.k; ++k) own[k] = from[k * s_.a.column];
      if (s_.k % 2 == 1) own[s_.k] = 0;
    });
    return to;
  }

  // The columns from `first` on.
  void runPanel(const std::int16_t* a, std::int64_t aRow, const std::int16_t* panel,
                std::int64_t first, std::int32_t* c) const {
    const std::int64_t n = std::min(kernel_.columns, s_.n - first);
    if (n == kernel_.columns) return runRows(a, aRow, panel, c + first, s_.c.row, s_.m);
    std::int32_t edge[kRowsOfEdge * kMostWordColumns] = {};
    for (std::int64_t i = 0; i < s_.m; i += kRowsOfEdge) {
      const std::int64_t rows = std::min(kRowsOfEdge, s_.m - i);
      for (std::int64_t r = 0; s_.accumulate && r < rows; ++r)
        std::copy_n(c + (i + r) * s_.c.row + first, n, edge + r * kernel_.columns);
      runRows(a + i * aRow, aRow, panel, edge, kernel_.columns, rows);
      for (std::int64_t r = 0; r < rows; ++r)
        std::copy_n(edge + r * kernel_.columns, n, c + (i + r) * s_.c.row + first);
    }
  }

  void runRows(const std::int16_t* a, std::int64_t aRow, const std::int16_t* panel, std::int32_t* c,
               std::int64_t cRow, std::int64_t rows) const {
    runWords(kernel_, reinterpret_cast<const std::byte*>(a), aRow * sizeof(std::int16_t),
             reinterpret_cast<const std::byte*>(panel), pairs_, c, cRow, rows, s_.accumulate);
  }

  MatMulSpec s_;
  const WordsKernel& kernel_;
  unsigned threads_;
  std::int64_t pairs_, panels_, panelElements_;
  bool aIsPaired_;
  std::size_t aBytes_;
};

}  // namespace

std::unique_ptr<Contraction> makeShorts(const MatMulSpec& spec, unsigned threads) {
  if (spec.inType != poplar::SHORT || spec.outType != poplar::INT || spec.alpha != 1.0f ||
      spec.bias)
    return nullptr;
  return std::make_unique<ShortsMatMul>(spec, threads);
}

}  // namespace contraction
}  // namespace popir
