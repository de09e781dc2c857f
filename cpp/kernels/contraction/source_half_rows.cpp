// Products of 16-bit floats with weights that stay: each thread widens rows of A, multiplies them by
// our own panels, and rounds what it has computed while that is in its cache.
#include <algorithm>
#include <memory>

#include "kernels/contraction/contraction.hpp"
#include "kernels/contraction/gemm_own.hpp"
#include "kernels/half.hpp"
#include "kernels/parallel.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace contraction {
namespace {

/// Rows of a task at most, whose floats stay in the L2 cache for most depths; and columns of C that
/// are computed before they are rounded.
constexpr std::int64_t kMostRows = 128, kColumns = 512;

/// T is half or Bfloat16.
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
    T* const c = static_cast<T*>(operands[2]);
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
          for (std::int64_t r = row; r < end; ++r)
            fromFloats(sums + (r - row) * kColumns, c + r * spec_.c.row + j, block.n,
                       spec_.rounding, r * spec_.n + j);
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

}  // namespace

std::unique_ptr<Contraction> makeHalfRows(const MatMulSpec& spec, unsigned threads) {
  if (gemm::routines<float>() == nullptr || spec.groups != 1 || spec.bias || spec.accumulate ||
      spec.inType != spec.outType || spec.a.column != 1 || spec.c.column != 1)
    return nullptr;
  if (spec.inType == poplar::HALF) return std::make_unique<HalfRows<half>>(spec, threads);
  if (spec.inType == poplar::BFLOAT16) return std::make_unique<HalfRows<Bfloat16>>(spec, threads);
  return nullptr;
}

}  // namespace contraction
}  // namespace popir
