// Products of 16-bit floats with weights that stay. Of many rows each thread widens its own, multiplies
// them by our panels of floats, and rounds what it has computed while that is in its cache. Few rows are
// widened together, and meet panels of 16-bit floats.
#include <algorithm>
#include <memory>

#include "kernels/contraction/contraction.hpp"
#include "kernels/contraction/gemm_own.hpp"
#include "kernels/contraction/half_panels.hpp"
#include "kernels/half.hpp"
#include "kernels/parallel.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace contraction {
namespace {

/// Rows of a task at most, whose floats stay in the L2 cache for most depths; and columns of C that
/// are computed before they are rounded.
constexpr std::int64_t kMostRows = 128, kColumns = 512;

/// Stores `rows` rows of `n` sums, sumRow apart, in columns from j on of C, which has spec.outType: FLOAT,
/// or T. `row` is the number of the first.
template <class T>
void storeSums(const MatMulSpec& spec, const float* sums, std::int64_t sumRow, void* c,
               std::int64_t row, std::int64_t rows, std::int64_t j, std::int64_t n) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t to = (row + r) * spec.c.row + j;
    const float* const from = sums + r * sumRow;
    if (spec.outType == poplar::FLOAT)
      std::copy_n(from, n, static_cast<float*>(c) + to);
    else
      fromFloats(from, static_cast<T*>(c) + to, n, spec.rounding, (row + r) * spec.n + j);
  }
}

/// Of many rows. T is half or Bfloat16.
template <class T>
class HalfRows final : public Contraction {
 public:
  HalfRows(const MatMulSpec& spec, unsigned threads)
      : spec_(spec),
        threads_(threads),
        parts_(std::max<std::int64_t>(threads, (spec.m + kMostRows - 1) / kMostRows)),
        rows_((spec.m + parts_ - 1) / parts_),
        routines_(*gemm::routines<float>()) {}

  std::string describe() const override {
    return std::string("own ") + name(isa()) + " packed, by rows via float";
  }
  std::size_t packedBytes() const override {
    return aligned(sizeof(float) * routines_.packedScalars(spec_.k, spec_.n));
  }

  void pack(const void* weights, void* packed) const override {
    const bool isTurned = spec_.b.column != 1;
    const std::int64_t runs = isTurned ? spec_.n : spec_.k, run = isTurned ? spec_.k : spec_.n;
    const std::int64_t step = isTurned ? spec_.b.column : spec_.b.row;
    const std::unique_ptr<float[]> floats(new float[static_cast<std::size_t>(runs * run)]);
    for (std::int64_t r = 0; r < runs; ++r)
      toFloats(static_cast<const T*>(weights) + r * step, floats.get() + r * run, run);
    routines_.pack(floats.get(), isTurned ? 1 : run, isTurned ? run : 1, spec_.k, spec_.n,
                   routines_.keptSteps, 0, spec_.n, static_cast<float*>(packed));
  }

  void runPacked(void* const* operands, const void* packed, void*) const override {
    const T* const a = static_cast<const T*>(operands[0]);
    const std::size_t wide = aligned(sizeof(float) * static_cast<std::size_t>(rows_ * spec_.k));
    const std::size_t result = aligned(sizeof(float) * static_cast<std::size_t>(rows_ * kColumns));
    const std::size_t scratch = sizeof(float) * routines_.scratchScalars(rows_, 0, spec_.k);
    parallelParts(parts_, 1, threads_, [&](std::int64_t first, std::int64_t last, unsigned) {
      const pool::OwnMemory own(wide + result + scratch);
      auto* const floats = static_cast<float*>(own.data());
      auto* const sums = static_cast<float*>(at(own.data(), wide));
      auto* const more = static_cast<float*>(at(own.data(), wide + result));
      for (std::int64_t part = first; part < last; ++part) {
        const std::int64_t row = spec_.m * part / parts_, end = spec_.m * (part + 1) / parts_;
        if (row == end) continue;
        for (std::int64_t r = row; r < end; ++r)
          toFloats(a + r * spec_.a.row, floats + (r - row) * spec_.k, spec_.k);
        gemm::BlockOf<float> block = {};
        block.m = end - row, block.k = spec_.k;
        block.a = floats, block.aRow = spec_.k, block.aColumn = 1;
        block.b = floats, block.bColumn = 1;  // not read: it is packed
        block.c = sums, block.cRow = kColumns;
        block.alpha = spec_.alpha;
        block.packed = static_cast<const float*>(packed);
        block.packedColumns = static_cast<std::int64_t>(routines_.packedScalars(1, spec_.n));
        block.packedSteps = routines_.keptSteps;
        for (std::int64_t j = 0; j < spec_.n; j += kColumns) {
          block.n = std::min(kColumns, spec_.n - j), block.column = j;
          routines_.run(block, more);
          storeSums<T>(spec_, sums, kColumns, operands[2], row, end - row, j, block.n);
        }
      }
    });
  }

 private:
  MatMulSpec spec_;
  unsigned threads_;
  std::int64_t parts_, rows_;
  const gemm::Routines<float>& routines_;
};

const half_panels::Routines<half>* panelsOf(half) {
  return isa() == Isa::Avx512 ? &half_panels::avx512::kHalves
         : isa() == Isa::Avx2 ? &half_panels::avx2::kHalves
                              : nullptr;
}
const half_panels::Routines<Bfloat16>* panelsOf(Bfloat16) {
  return isa() == Isa::Avx512 ? &half_panels::avx512::kBfloats
         : isa() == Isa::Avx2 ? &half_panels::avx2::kBfloats
                              : nullptr;
}

/// Of few rows. T is half or Bfloat16.
template <class T>
class HalfPanels final : public Contraction {
 public:
  HalfPanels(const MatMulSpec& spec, unsigned threads, const half_panels::Routines<T>& routines)
      : spec_(spec),
        threads_(threads),
        routines_(routines),
        panels_((spec.n + routines.columns - 1) / routines.columns) {
    // As many tasks for each thread, none of more than kMostPanels.
    const std::int64_t most = kMostPanels * threads, rounds = (panels_ + most - 1) / most;
    const std::int64_t tasks = std::max<std::int64_t>(rounds * threads, 1);
    panelsOfTask_ = std::max<std::int64_t>((panels_ + tasks - 1) / tasks, 1);
  }

  std::string describe() const override {
    return std::string("own ") + name(isa()) + " packed, panels of 16-bit floats";
  }
  std::size_t packedBytes() const override {
    return aligned(sizeof(T) * static_cast<std::size_t>(panels_ * step()));
  }

  void pack(const void* weights, void* packed) const override {
    const T* const b = static_cast<const T*>(weights);
    parallelFor(panels_, threads_, panels_ * step(), [&](std::int64_t panel) {
      const std::int64_t j = panel * routines_.columns;
      const std::int64_t n = std::min(routines_.columns, spec_.n - j);
      T* to = static_cast<T*>(packed) + panel * step();
      for (std::int64_t i = 0; i < spec_.k; ++i, to += routines_.columns) {
        for (std::int64_t c = 0; c < n; ++c) to[c] = b[i * spec_.b.row + (j + c) * spec_.b.column];
        std::fill(to + n, to + routines_.columns, T());
      }
    });
  }

  std::size_t workBytes() const override {
    return aligned(sizeof(float) * static_cast<std::size_t>(spec_.m * spec_.k));
  }
  void runPacked(void* const* operands, const void* packed, void* work) const override {
    auto* const floats = static_cast<float*>(work);
    for (std::int64_t r = 0; r < spec_.m; ++r) {
      float* const row = floats + r * spec_.k;
      toFloats(static_cast<const T*>(operands[0]) + r * spec_.a.row, row, spec_.k);
    }
    const std::int64_t parts = (panels_ + panelsOfTask_ - 1) / panelsOfTask_;
    parallelFor(parts, threads_, panels_ * step() / 4, [&](std::int64_t part) {
      const std::int64_t first = part * panelsOfTask_;
      const std::int64_t panels = std::min(panelsOfTask_, panels_ - first);
      const std::int64_t columns = panels * routines_.columns, j = first * routines_.columns;
      const pool::OwnArray<float> sums(static_cast<std::size_t>(spec_.m * columns));
      const T* const b = static_cast<const T*>(packed) + first * step();
      routines_.run({floats, spec_.k, spec_.k, b, panels, sums.begin(), columns}, spec_.m);
      if (spec_.alpha != 1)
        for (std::int64_t i = 0; i < spec_.m * columns; ++i)
          sums[static_cast<std::size_t>(i)] *= spec_.alpha;
      storeSums<T>(spec_, sums.begin(), columns, operands[2], 0, spec_.m, j,
                   std::min(columns, spec_.n - j));
    });
  }

 private:
  static constexpr std::int64_t kMostPanels = 24;  // that a thread takes at once

  std::int64_t step() const { return spec_.k * routines_.columns; }

  MatMulSpec spec_;
  unsigned threads_;
  const half_panels::Routines<T>& routines_;
  std::int64_t panels_, panelsOfTask_;
};

/// Whether A and B are 16-bit floats of the type, C too or FLOAT, with rows as these products take them.
bool isForHalves(const MatMulSpec& s, poplar::Type type) {
  return s.inType == type && (s.outType == type || s.outType == poplar::FLOAT) && s.groups == 1 &&
         !s.bias && !s.accumulate && s.a.column == 1 && s.c.column == 1;
}

template <class T>
std::unique_ptr<Contraction> makePanels(const MatMulSpec& spec, unsigned threads) {
  const auto* routines = panelsOf(T());
  if (routines == nullptr || spec.m > routines->rows) return nullptr;
  return std::make_unique<HalfPanels<T>>(spec, threads, *routines);
}

}  // namespace

std::unique_ptr<Contraction> makeHalfRows(const MatMulSpec& spec, unsigned threads) {
  if (gemm::routines<float>() == nullptr) return nullptr;
  if (isForHalves(spec, poplar::HALF)) return std::make_unique<HalfRows<half>>(spec, threads);
  if (isForHalves(spec, poplar::BFLOAT16))
    return std::make_unique<HalfRows<Bfloat16>>(spec, threads);
  return nullptr;
}

std::unique_ptr<Contraction> makeHalfPanels(const MatMulSpec& spec, unsigned threads) {
  if (isForHalves(spec, poplar::HALF)) return makePanels<half>(spec, threads);
  if (isForHalves(spec, poplar::BFLOAT16)) return makePanels<Bfloat16>(spec, threads);
  return nullptr;
}

}  // namespace contraction
}  // namespace popir
