#include "kernels/contraction/bits_product.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "kernels/contraction/bits.hpp"
#include "kernels/contraction/gemm.hpp"
#include "kernels/contraction/gemm_own.hpp"
#include "kernels/parallel.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace contraction {
namespace {

/// More rows than these multiply floats, which are unpacked a chunk at a time.
constexpr std::int64_t kMostBitsRows = 12;
/// The elements of a chunk along k, and the most panels in it, nearly.
constexpr std::int64_t kChunkK = 256, kChunkPanels = 6;
/// The largest block whose sum of products of bytes has 32 bits.
constexpr std::int64_t kMostRounded = 1 << 16;

class BitsProduct final : public Contraction {
 public:
  BitsProduct(const BitsMatrix& w, std::int64_t m, std::int64_t aRow, unsigned threads)
      : w_(w),
        m_(m),
        aRow_(aRow),
        threads_(threads),
        bytes_(w.roundsRows && w.blockSize <= kMostRounded ? bitsOfBytesKernel() : nullptr),
        columns_(bytes_ != nullptr ? bytes_->columns : kernel_.columns),
        panels_((w.n + columns_ - 1) / columns_),
        wordsOfBlock_(w.blockSize * w.bits / 32),
        panelWords_(w.blocks() * wordsOfBlock_ * columns_),
        paddedK_(w.blocks() * w.blockSize),
        unpacks_(m > kMostBitsRows && bytes_ == nullptr && routines_ != nullptr),
        chunkK_(w.blockSize < kChunkK ? kChunkK / w.blockSize * w.blockSize : kChunkK),
        chunks_(std::min(panels_, (panels_ + kChunkPanels - 1) / kChunkPanels + threads - 1)) {
    const auto all = static_cast<std::int64_t>(threads);
    if (chunks_ > all) chunks_ -= chunks_ % all;  // so that threads end together
    mostColumns_ = (panels_ + chunks_ - 1) / chunks_ * columns_;
    if (bytes_ != nullptr) {
      blockBytes_ = aligned(floats(m * w.blocks()));
      aBytes_ = aligned(static_cast<std::size_t>(m * paddedK_)) + 2 * blockBytes_;
    } else if (paddedK_ != w.k) {
      aBytes_ = aligned(floats(m * paddedK_));
    }
    if (w.n % columns_ != 0) edgeBytes_ = aligned(floats(w.blocks() * columns_));
    if (!unpacks_) return;
    chunkBytes_ = aligned(floats(chunkK_ * mostColumns_));
    threadBytes_ = chunkBytes_ + aligned(floats(static_cast<std::int64_t>(
                                     routines_->scratchScalars(m, mostColumns_, chunkK_))));
  }

  std::string describe() const override {
    return std::to_string(w_.bits) + " bits " +
           (bytes_ != nullptr ? "by bytes avx512vnni" : name(isa()));
  }

  std::size_t packedBytes() const override { return floats(panels_ * panelWords_); }

  void pack(const void* numbers, void* packed) const override {
    parallelFor(panels_, threads_, w_.n * w_.k, [&](std::int64_t panel) {
      packPanel(static_cast<const std::uint8_t*>(numbers), panel * columns_,
                static_cast<std::uint32_t*>(packed) + panel * panelWords_);
    });
  }

  // A in whole blocks, of bytes or of floats; scales and zero points of the last panel in whole
  // vectors; what threads unpack.
  std::size_t workBytes() const override {
    return aBytes_ + 2 * edgeBytes_ + (unpacks_ ? threads_ * threadBytes_ : 0);
  }

  void runPacked(void* const* operands, const void* packed, void* work) const override {
    const auto* scales = static_cast<const float*>(operands[3]);
    Given given = {static_cast<const float*>(operands[0]),
                   aRow_,
                   {},
                   static_cast<const std::uint32_t*>(packed),
                   scales,
                   w_.hasZeros ? scales + w_.blocks() * w_.n : nullptr,
                   static_cast<float*>(at(work, aBytes_)),
                   static_cast<float*>(at(work, aBytes_ + edgeBytes_)),
                   static_cast<float*>(operands[2]),
                   at(work, aBytes_ + 2 * edgeBytes_)};
    if (bytes_ != nullptr)
      roundA(given, work);
    else if (aBytes_ > 0)
      padA(given, static_cast<float*>(work));
    if (edgeBytes_ > 0) {
      widenEdge(given.scales, given.edgeScales);
      if (w_.hasZeros) widenEdge(given.zeros, given.edgeZeros);
    }
    const std::int64_t multiplications = m_ * w_.n * w_.k;
    if (unpacks_)
      parallelFor(chunks_, threads_, multiplications, [&](std::int64_t chunk, unsigned thread) {
        runChunk(given, panels_ * chunk / chunks_, panels_ * (chunk + 1) / chunks_, thread);
      });
    else
      parallelFor(panels_, threads_, multiplications,
                  [&](std::int64_t panel) { runPanel(given, panel); });
  }

 private:
  struct Given {
    const float* a;
    std::int64_t aRow;
    BitsRows bytes;  // A, if it is rounded
    const std::uint32_t* packed;
    const float *scales, *zeros;
    float *edgeScales, *edgeZeros;  // of the last panel, [blocks, columns_]
    float* c;
    void* work;
  };

  static std::size_t floats(std::int64_t n) { return static_cast<std::size_t>(n) * sizeof(float); }

  void packPanel(const std::uint8_t* numbers, std::int64_t first, std::uint32_t* to) const {
    const std::int64_t columns = std::min(columns_, w_.n - first), perWord = 32 / w_.bits,
                       words = w_.blocks() * wordsOfBlock_, ofRow = words * 4;
    std::memset(to, 0, floats(panelWords_));
    for (std::int64_t j = 0; j < columns; ++j) {
      const std::uint8_t* const row = numbers + (first + j) * ofRow;
      for (std::int64_t w = 0; w < words; ++w)
        for (std::int64_t i = 0; i < perWord; ++i)
          to[w * columns_ + j] |= static_cast<std::uint32_t>(w_.number(row, w * perWord + i))
                                  << placeOfBits(i, w_.bits);
    }
  }

  void roundA(Given& given, void* work) const {
    auto* const numbers = static_cast<std::int8_t*>(work);
    auto* const scales = static_cast<float*>(at(work, aBytes_ - 2 * blockBytes_));
    auto* const sums = static_cast<float*>(at(work, aBytes_ - blockBytes_));
    parallelFor(m_, threads_, m_ * w_.k, [&](std::int64_t i) {
      bytes_->round(given.a + i * aRow_, w_.k, w_.blockSize, numbers + i * paddedK_,
                    scales + i * w_.blocks(), sums + i * w_.blocks());
    });
    given.bytes = {numbers, paddedK_, scales, sums};
  }

  void padA(Given& given, float* to) const {
    for (std::int64_t i = 0; i < m_; ++i) {
      float* const row = to + i * paddedK_;
      std::copy_n(given.a + i * aRow_, w_.k, row);
      std::fill(row + w_.k, row + paddedK_, 0.0f);
    }
    given.a = to;
    given.aRow = paddedK_;
  }

  void widenEdge(const float* from, float* to) const {
    const std::int64_t first = (panels_ - 1) * columns_;
    for (std::int64_t b = 0; b < w_.blocks(); ++b)
      std::fill(std::copy(from + b * w_.n + first, from + (b + 1) * w_.n, to + b * columns_),
                to + (b + 1) * columns_, 0.0f);
  }

  /// Of a panel `length` numbers of each column from number `k` on: whole blocks, or a part of one.
  BitsPanel panelOf(const Given& given, std::int64_t panel, std::int64_t k,
                    std::int64_t length) const {
    const std::int64_t block = k / w_.blockSize, perWord = 32 / w_.bits;
    const bool isEdge = edgeBytes_ > 0 && panel == panels_ - 1;
    const std::int64_t row = isEdge ? columns_ : w_.n,
                       from = block * row + (isEdge ? 0 : panel * columns_);
    const float* const zeros = isEdge ? given.edgeZeros : given.zeros;
    return {static_cast<int>(w_.bits),
            std::max<std::int64_t>(1, length / w_.blockSize),
            std::min(wordsOfBlock_, length / perWord),
            given.packed + panel * panelWords_ + k / perWord * columns_,
            (isEdge ? given.edgeScales : given.scales) + from,
            w_.hasZeros ? zeros + from : nullptr,
            row};
  }

  void runPanel(const Given& given, std::int64_t panel) const {
    const auto bits = panelOf(given, panel, 0, paddedK_);
    const std::int64_t first = panel * columns_;
    if (first + columns_ <= w_.n) return runRows(given, 0, m_, bits, given.c + first, w_.n);
    float row[kMostBitsColumns];
    for (std::int64_t i = 0; i < m_; ++i) {
      runRows(given, i, 1, bits, row, columns_);
      std::copy_n(row, w_.n - first, given.c + i * w_.n + first);
    }
  }

  void runRows(const Given& given, std::int64_t first, std::int64_t rows, const BitsPanel& bits,
               float* c, std::int64_t cRow) const {
    if (bytes_ != nullptr)
      bytes_->run(given.bytes, first, rows, bits, c, cRow);
    else
      kernel_.run(given.a + first * given.aRow, given.aRow, rows, bits, c, cRow);
  }

  /// All rows of C at the columns of some panels.
  void runChunk(const Given& given, std::int64_t panel, std::int64_t last, unsigned thread) const {
    auto* const values = static_cast<float*>(at(given.work, thread * threadBytes_));
    auto* const scratch = static_cast<float*>(at(values, chunkBytes_));
    const std::int64_t first = panel * columns_, width = (last - panel) * columns_;
    gemm::BlockOf<float> block = {};
    block.m = m_;
    block.n = std::min(width, w_.n - first);
    block.aRow = given.aRow;
    block.aColumn = 1;
    block.b = values;
    block.bRow = width;
    block.bColumn = 1;
    block.c = given.c + first;
    block.cRow = w_.n;
    block.alpha = 1;
    for (std::int64_t k = 0; k < paddedK_; k += block.k) {
      // Within a block, or to the end of one.
      block.k = std::min(chunkK_,
                         w_.blockSize < kChunkK ? paddedK_ - k : w_.blockSize - k % w_.blockSize);
      for (std::int64_t p = panel; p < last; ++p)
        kernel_.unpack(panelOf(given, p, k, block.k), values + (p - panel) * columns_, width);
      block.a = given.a + k;
      block.accumulate = k > 0;
      routines_->run(block, scratch);
    }
  }

  BitsMatrix w_;
  std::int64_t m_, aRow_;
  unsigned threads_;
  const BitsKernel& kernel_ = bitsKernel();
  const BitsOfBytesKernel* bytes_;  // if A is rounded to bytes; else null
  const gemm::Routines<float>* const routines_ = gemm::routines<float>();
  std::int64_t columns_, panels_, wordsOfBlock_, panelWords_, paddedK_;
  bool unpacks_;
  std::int64_t chunkK_, chunks_, mostColumns_ = 0;
  std::size_t aBytes_ = 0, blockBytes_ = 0, edgeBytes_ = 0, chunkBytes_ = 0, threadBytes_ = 0;
};

}  // namespace

std::int64_t leastBitsColumns() { return bitsKernel().columns / 2; }

std::unique_ptr<Contraction> makeBitsProduct(const BitsMatrix& w, std::int64_t m, std::int64_t aRow,
                                             unsigned threads) {
  return std::make_unique<BitsProduct>(w, m, aRow, threads);
}

}  // namespace contraction
}  // namespace popir
