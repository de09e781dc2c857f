// Products of float matrices on tiles of bfloat16; see bf16_tiles.hpp.
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "kernels/contraction/bf16_tiles.hpp"
#include "kernels/contraction/gemm.hpp"
#include "kernels/parallel.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace tiles {
namespace {

bool machineHasAmx() {
  constexpr unsigned kBf16 = 1u << 22, kTiles = 1u << 24;
  unsigned a, b, c, d;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & kBf16) == 0 || (d & kTiles) == 0)
    return false;
  // Linux saves tiles only for processes that have asked for it. It refuses where a thread has an
  // alternate signal stack that is too small for them.
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace

bool haveAmx() {
  static const bool have = isa() == Isa::Avx512 && !isHeld() && machineHasAmx();
  return have;
}

}  // namespace tiles

namespace contraction {
namespace {

using tiles::kBlock;

constexpr std::int64_t blocksOf(std::int64_t n) { return (n + kBlock - 1) / kBlock; }

/// The power of two that brings the largest finite element of B into [1, 2). At most 2^62, so that
/// the inverse of it and of kLift is no denormal.
float scaleOf(const float* b, std::int64_t k, std::int64_t n, const MatMulSpec::Strides& s) {
  constexpr int kMost = 62;
  float most = 0;
  for (std::int64_t i = 0; i < k; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const float x = std::fabs(b[i * s.row + j * s.column]);
      if (x > most && std::isfinite(x)) most = x;
    }
  if (most == 0) return 1;
  return std::ldexp(1.0f, std::min(kMost, std::max(-kMost, -std::ilogb(most))));
}

/// C = alpha * A * B + bias + C on tiles. The packed form of B is the factor of its elements, then
/// the parts of each block of columns. A run splits as many rows of A as fit the second-level cache,
/// then multiplies their blocks by all blocks of columns. No sum over k is divided among threads.
class TilesMatMul final : public Contraction {
 public:
  TilesMatMul(const MatMulSpec& spec, unsigned threads, const tiles::Loops& loops,
              std::string description)
      : spec_(spec),
        threads_(threads),
        loops_(loops),
        description_(std::move(description)),
        steps_((spec.k + tiles::kDepth - 1) / tiles::kDepth),
        blockBytes_(tiles::partBytes(spec.policy.math, steps_)) {
    constexpr std::size_t kCached = std::size_t{5} << 18;  // of 2 MiB, which cores with tiles have
    bandBlocks_ = blockBytes_ == 0
                      ? 1
                      : std::max<std::int64_t>(1, static_cast<std::int64_t>(kCached / blockBytes_));
    bandBlocks_ = std::min(bandBlocks_, std::max<std::int64_t>(1, blocksOf(spec.m)));
  }

  std::string describe() const override { return description_; }
  std::size_t packedBytes() const override {
    return kHead + static_cast<std::size_t>(blocksOf(spec_.n)) * blockBytes_;
  }
  /// What is not finite is computed from B itself.
  bool readsBoth() const override { return true; }
  std::size_t workBytes() const override {
    // The loops read one step ahead.
    return static_cast<std::size_t>(bandBlocks_) * blockBytes_ +
           tiles::partBytes(spec_.policy.math, 1);
  }

  void pack(const void* weights, void* packed) const override {
    const auto* b = static_cast<const float*>(weights);
    const float scale = scaleOf(b, spec_.k, spec_.n, spec_.b);
    *static_cast<float*>(packed) = 1 / scale / tiles::kLift;
    parallelFor(blocksOf(spec_.n), threads_, spec_.n * spec_.k, [&](std::int64_t i) {
      const std::int64_t from = i * kBlock;
      loops_.splitColumns({b + from * spec_.b.column, std::min(kBlock, spec_.n - from), spec_.k,
                           spec_.b.column, spec_.b.row, scale},
                          at(packed, kHead + static_cast<std::size_t>(i) * blockBytes_));
    });
  }

  void runPacked(void* const* operands, const void* packed, void* work) const override {
    const auto* a = static_cast<const float*>(operands[0]);
    const std::int64_t columns = blocksOf(spec_.n);
    for (std::int64_t first = 0; first < blocksOf(spec_.m); first += bandBlocks_) {
      const std::int64_t blocks = std::min(bandBlocks_, blocksOf(spec_.m) - first);
      const auto partsOfRows = [&](std::int64_t i) {
        return at(work, static_cast<std::size_t>(i) * blockBytes_);
      };
      parallelFor(blocks, threads_, blocks * kBlock * spec_.k, [&](std::int64_t i) {
        const std::int64_t from = (first + i) * kBlock;
        loops_.splitRows({a + from * spec_.a.row, std::min(kBlock, spec_.m - from), spec_.k,
                          spec_.a.row, spec_.a.column, tiles::kLift},
                         partsOfRows(i));
      });
      parallelFor(columns, threads_, blocks * kBlock * spec_.n * spec_.k, [&](std::int64_t j) {
        const auto* b =
            static_cast<const char*>(packed) + kHead + static_cast<std::size_t>(j) * blockBytes_;
        alignas(64) float sums[kBlock * kBlock];
        for (std::int64_t i = 0; i < blocks; ++i) {
          const std::int64_t rows = std::min(kBlock, spec_.m - (first + i) * kBlock);
          loops_.multiply(partsOfRows(i), b, steps_, rows, sums);
          finish(operands, *static_cast<const float*>(packed), (first + i) * kBlock, rows,
                 j * kBlock, std::min(kBlock, spec_.n - j * kBlock), sums);
        }
      });
    }
  }

 private:
  static constexpr std::size_t kHead = 64;

  /// Writes a block of C. Where a sum is not finite, the block is computed anew in float: tiles
  /// have parts that overflow, and infinite sums of them that may be infinite only as parts.
  void finish(void* const* operands, float scale, std::int64_t row, std::int64_t rows,
              std::int64_t column, std::int64_t columns, const float* sums) const {
    auto* c = static_cast<float*>(operands[2]) + row * spec_.c.row + column;
    const auto* bias = spec_.bias ? static_cast<const float*>(operands[3]) + column : nullptr;
    float unbounded = 0;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t j = 0; j < columns; ++j) unbounded += sums[r * kBlock + j] * 0.0f;
    if (unbounded != 0) {
      const auto* a = static_cast<const float*>(operands[0]) + row * spec_.a.row;
      const auto* b = static_cast<const float*>(operands[1]) + column * spec_.b.column;
      gemm::portable(gemm::BlockOf<float>{rows, columns, spec_.k, a, spec_.a.row, spec_.a.column, b,
                                          spec_.b.row, spec_.b.column, c, spec_.c.row, spec_.alpha,
                                          spec_.accumulate, bias});
      return;
    }
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t j = 0; j < columns; ++j) {
        float x = sums[r * kBlock + j] * scale * spec_.alpha;
        if (bias != nullptr) x += bias[j];
        float& to = c[r * spec_.c.row + j];
        to = spec_.accumulate ? to + x : x;
      }
  }

  MatMulSpec spec_;
  unsigned threads_;
  const tiles::Loops& loops_;
  std::string description_;
  std::int64_t steps_;
  std::size_t blockBytes_;
  std::int64_t bandBlocks_;
};

}  // namespace

std::unique_ptr<Contraction> makeTiles(const MatMulSpec& spec, unsigned threads, bool emulated) {
  if (spec.groups != 1 || spec.inType != poplar::FLOAT || spec.outType != poplar::FLOAT ||
      (!emulated && !tiles::haveAmx()))
    return nullptr;
  static const char* const kProducts[] = {"6", "3", "1"};
  return std::make_unique<TilesMatMul>(
      spec, threads,
      emulated ? tiles::emulatedLoops(spec.policy.math) : tiles::amxLoops(spec.policy.math),
      std::string("tiles ") + (emulated ? "emulated" : "amx") + " " +
          kProducts[static_cast<int>(spec.policy.math)] + " x bfloat16");
}

}  // namespace contraction
}  // namespace popir
