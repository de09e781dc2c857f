#include "kernels/contraction/integer_product.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "kernels/contraction/words.hpp"
#include "kernels/parallel.hpp"

namespace popir {
namespace contraction {
namespace {

/// With a and b for A and B without their zero points x and y, k long:
///   sum (a - x) (b - y) = sum a b - x sum b - y (sum a - k x)
/// The first sum is that of the loops, the others take one pass over A, and one over B when it is
/// packed.
///
/// Loops for bytes want A without signs and B with them. What is otherwise gets 128 added or
/// subtracted, and its zero points do too. Loops for shorts take any.
class IntegerProduct final : public Contraction {
 public:
  IntegerProduct(const IntegerProductSpec& spec, unsigned threads)
      : s_(spec),
        isBytes_(bytesKernel() != nullptr),
        kernel_(isBytes_ ? *bytesKernel() : shortsKernel()),
        threads_(threads),
        perWord_(isBytes_ ? 4 : 2),
        words_((spec.k + perWord_ - 1) / perWord_),
        panels_((spec.n + kernel_.columns - 1) / kernel_.columns),
        outBytes_(bytesOfResult(spec.requantization)),
        aShift_(isBytes_ && spec.aType != poplar::UNSIGNED_CHAR ? 128 : 0),
        bShift_(isBytes_ && spec.bType == poplar::UNSIGNED_CHAR ? -128 : 0),
        aIsWords_(isBytes_ && aShift_ == 0 && spec.a.column == 1 && spec.k % perWord_ == 0),
        sumsRows_(bShift_ != 0 || spec.bZeros != ZeroPoints::None),
        aGroups_(spec.a.group == 0 ? 1 : spec.groups),
        bGroups_(spec.b.group == 0 ? 1 : spec.groups),
        aBytes_(aIsWords_ ? 0 : aligned(aGroups_ * spec.m * words_ * kWordBytes)),
        panelBytes_(words_ * kernel_.columns * kWordBytes),
        allPanelBytes_(aligned(bGroups_ * panels_ * panelBytes_)) {}

  std::string describe() const override {
    return std::string(isBytes_ ? "bytes " : "bytes as shorts ") + kernel_.name;
  }

  std::size_t packedBytes() const override {
    return allPanelBytes_ + bGroups_ * panels_ * kernel_.columns * sizeof(std::int32_t);
  }

  void pack(const void* weights, void* packed) const override {
    auto* sums = static_cast<std::int32_t*>(at(packed, allPanelBytes_));
    parallelFor(bGroups_ * panels_, threads_, bGroups_ * s_.k * s_.n, [&](std::int64_t i) {
      const std::int64_t b = i / panels_ * s_.b.group, first = i % panels_ * kernel_.columns;
      void* const panel = at(packed, i * panelBytes_);
      auto* const own = sums + i * kernel_.columns;
      if (isBytes_)
        packPanel(weights, b, first, static_cast<std::int8_t*>(panel), own);
      else
        packPanel(weights, b, first, static_cast<std::int16_t*>(panel), own);
    });
  }

  // A in words, where it does not lie so, and the sums of its rows, which zero points of B take; the
  // terms of all panels.
  std::size_t workBytes() const override {
    const std::size_t sums = sumsRows_ ? aGroups_ * s_.m * sizeof(std::int32_t) : 0;
    return aligned(aBytes_ + sums) + termsBytes();
  }

  void runPacked(void* const* operands, const void* packed, void* work) const override {
    const auto* a = static_cast<const std::byte*>(aIsWords_ ? operands[0] : work);
    auto* sums = sumsRows_ ? static_cast<std::int32_t*>(at(work, aBytes_)) : nullptr;
    if (!aIsWords_ || sumsRows_) arrange(operands[0], work, sums);
    const Given given = {
        a,
        sums,
        static_cast<const std::byte*>(packed),
        reinterpret_cast<const std::int32_t*>(static_cast<const std::byte*>(packed) +
                                              allPanelBytes_),
        s_.aZeros == ZeroPoints::None ? nullptr : operands[3],
        s_.bZeros == ZeroPoints::None ? nullptr : operands[s_.aZeros == ZeroPoints::None ? 3 : 4],
        static_cast<std::byte*>(operands[2]),
        operands + 3 + (s_.aZeros != ZeroPoints::None) + (s_.bZeros != ZeroPoints::None),
        static_cast<RequantizationTerms*>(at(work, workBytes() - termsBytes()))};
    makeTerms(given);
    const std::int64_t blocks = (s_.m + kWordRowsOfBlock - 1) / kWordRowsOfBlock;
    parallelFor(s_.groups * panels_ * blocks, threads_, s_.groups * s_.m * s_.n * words_,
                [&](std::int64_t i) {
                  runBlock(given, i / blocks / panels_, i / blocks % panels_,
                           i % blocks * kWordRowsOfBlock);
                });
  }

 private:
  struct Given {
    const std::byte* a;
    const std::int32_t* aSums;
    const std::byte* panels;
    const std::int32_t* bSums;
    const void* aZeros;
    const void* bZeros;
    std::byte* c;
    void* const* operands;       // of the requantization
    RequantizationTerms* terms;  // by panel of each group
  };

  std::size_t termsBytes() const {
    return s_.requantization ? s_.groups * panels_ * sizeof(RequantizationTerms) : 0;
  }

  /// Whether all that zero points take from a sum is the same for all rows: a part of the bias then.
  bool hasRowsAlike() const {
    return s_.requantization && s_.aZeros != ZeroPoints::Each && s_.bZeros == ZeroPoints::None &&
           bShift_ == 0;
  }

  void makeTerms(const Given& given) const {
    if (!s_.requantization) return;
    const std::int32_t aZero = aShift_ + zero(given.aZeros, s_.aType, s_.aZeros, 0);
    for (std::int64_t i = 0; i < s_.groups * panels_; ++i) {
      const std::int64_t group = s_.b.group == 0 ? 0 : i / panels_;
      const std::int64_t first = i % panels_ * kernel_.columns;
      const auto* const sums = given.bSums + (group * panels_ + i % panels_) * kernel_.columns;
      given.terms[i] =
          termsOf(*s_.requantization, given.operands, first,
                  std::min(kernel_.columns, s_.n - first), hasRowsAlike() ? sums : nullptr, -aZero);
    }
  }

  /// Copies A into words, unless it lies so, and sums its rows if `sums` is not null.
  void arrange(const void* a, void* work, std::int32_t* sums) const {
    parallelFor(aGroups_ * s_.m, threads_, aGroups_ * s_.m * s_.k, [&](std::int64_t i) {
      const auto* const from =
          static_cast<const std::uint8_t*>(a) + i / s_.m * s_.a.group + i % s_.m * s_.a.row;
      void* const to = aIsWords_ ? nullptr : at(work, i * words_ * kWordBytes);
      const std::int32_t sum = s_.a.column == 1 ? neighbours(from, to) : scattered(from, to);
      if (sums != nullptr) sums[i] = sum;
    });
  }

  /// Copies a row of A and pads it, unless `to` is null. Returns its sum.
  std::int32_t neighbours(const std::uint8_t* from, void* to) const {
    if (to != nullptr && words_ > 0) std::memset(at(to, (words_ - 1) * kWordBytes), 0, kWordBytes);
    return kernel_.copyRow(from, s_.aType != poplar::UNSIGNED_CHAR, s_.k, to);
  }
  std::int32_t scattered(const std::uint8_t* from, void* to) const {
    constexpr std::int64_t kAtOnce = 256;  // a multiple of the elements of a word
    std::uint8_t some[kAtOnce];
    std::uint32_t sum = 0;  // modulo 2^32, as all sums here
    const bool isSigned = s_.aType != poplar::UNSIGNED_CHAR;
    if (words_ > 0) std::memset(at(to, (words_ - 1) * kWordBytes), 0, kWordBytes);
    for (std::int64_t k = 0; k < s_.k; k += kAtOnce) {
      const std::int64_t n = std::min(kAtOnce, s_.k - k);
      for (std::int64_t i = 0; i < n; ++i) some[i] = from[(k + i) * s_.a.column];
      sum += static_cast<std::uint32_t>(
          kernel_.copyRow(some, isSigned, n, at(to, k / perWord_ * kWordBytes)));
    }
    return static_cast<std::int32_t>(sum);
  }

  /// Packs the columns of B from `first` on, and sums them.
  template <class T>
  void packPanel(const void* b, std::int64_t offset, std::int64_t first, T* to,
                 std::int32_t* sums) const {
    if (s_.bType == poplar::UNSIGNED_CHAR)
      packPanelOf(static_cast<const std::uint8_t*>(b) + offset + first * s_.b.column,
                  std::min(kernel_.columns, s_.n - first), to, sums);
    else
      packPanelOf(static_cast<const std::int8_t*>(b) + offset + first * s_.b.column,
                  std::min(kernel_.columns, s_.n - first), to, sums);
  }
  template <class F, class T>
  void packPanelOf(const F* b, std::int64_t columns, T* to, std::int32_t* sums) const {
    std::memset(to, 0, panelBytes_);
    std::fill_n(sums, kernel_.columns, 0);
    const auto packed = [&](std::int64_t stride) {
      for (std::int64_t k = 0; k < s_.k; ++k) {
        const F* from = b + k * s_.b.row;
        T* own = to + k / perWord_ * kernel_.columns * perWord_ + k % perWord_;
        for (std::int64_t j = 0; j < columns; ++j) {
          const std::int32_t x = from[j * stride] + bShift_;
          own[j * perWord_] = static_cast<T>(x);
          sums[j] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[j]) +
                                              static_cast<std::uint32_t>(x));
        }
      }
    };
    if (s_.b.column == 1)
      packed(1);
    else
      packed(s_.b.column);
  }

  /// Rows of C from `row` on, at the columns of a panel.
  void runBlock(const Given& given, std::int64_t group, std::int64_t panel,
                std::int64_t row) const {
    const std::int64_t columns = kernel_.columns, first = panel * columns;
    const std::int64_t rows = std::min(kWordRowsOfBlock, s_.m - row),
                       n = std::min(columns, s_.n - first);
    std::byte* const c = given.c + ((group * s_.m + row) * s_.n + first) * outBytes_;
    alignas(64) std::int32_t sums[kWordRowsOfBlock * kMostWordColumns];
    const bool isApart = n < columns || s_.requantization;
    std::int32_t* const to = isApart ? sums : reinterpret_cast<std::int32_t*>(c);
    const std::int64_t toRow = isApart ? columns : s_.n;
    const std::int64_t b = (s_.b.group == 0 ? 0 : group) * panels_ + panel;
    const std::int64_t a = (s_.a.group == 0 ? 0 : group) * s_.m + row;
    const bool hasZeros = !hasRowsAlike() && (given.aZeros != nullptr || given.bZeros != nullptr ||
                                              aShift_ != 0 || bShift_ != 0);
    if (hasZeros) {
      std::int32_t bZeros[kMostWordColumns] = {};
      const bool isEach = s_.bZeros == ZeroPoints::Each;
      for (std::int64_t j = 0; j < (isEach ? n : columns); ++j)
        bZeros[j] = bShift_ + zero(given.bZeros, s_.bType, s_.bZeros, group * s_.n + first + j);
      std::int32_t aZeros[kWordRowsOfBlock], rests[kWordRowsOfBlock];
      for (std::int64_t r = 0; r < rows; ++r) {
        aZeros[r] = aShift_ + zero(given.aZeros, s_.aType, s_.aZeros, group * s_.m + row + r);
        rests[r] = !sumsRows_ ? 0 : restOf(given.aSums[a + r], s_.k, aZeros[r]);
      }
      kernel_.startRows(given.bSums + b * columns, bZeros, aZeros, rests, to, toRow, rows);
    }
    const std::int64_t aRow = aIsWords_ ? s_.a.row : words_ * kWordBytes;
    const std::byte* const from =
        aIsWords_ ? given.a + group * s_.a.group + row * aRow : given.a + a * aRow;
    BytesOf made = {nullptr, reinterpret_cast<std::uint8_t*>(c), s_.n, n};
    const bool toBytes = s_.requantization && outBytes_ == 1;
    if (toBytes) made.terms = &given.terms[group * panels_ + panel];
    runWords(kernel_, from, aRow, given.panels + b * panelBytes_, words_, to, toRow, rows, hasZeros,
             toBytes ? &made : nullptr);
    if (!isApart || toBytes) return;
    if (!s_.requantization) {
      for (std::int64_t r = 0; r < rows; ++r)
        std::memcpy(c + r * s_.n * outBytes_, sums + r * columns,
                    static_cast<std::size_t>(n * outBytes_));
      return;
    }
    kernel_.dequantize(sums, rows, n, given.terms[group * panels_ + panel],
                       reinterpret_cast<float*>(c), s_.n);
  }

  static std::int32_t zero(const void* zeros, poplar::Type type, ZeroPoints kind, std::int64_t i) {
    return zeros == nullptr ? 0 : byteAt(zeros, type, kind == ZeroPoints::One ? 0 : i);
  }

  IntegerProductSpec s_;
  bool isBytes_;
  const WordsKernel& kernel_;
  unsigned threads_;
  std::int64_t perWord_, words_, panels_;
  std::int64_t outBytes_;  // of an element of C
  std::int32_t aShift_, bShift_;
  bool aIsWords_;  // whether the loops read A as it lies
  bool sumsRows_;  // whether zero points of B take something for each row of A
  std::int64_t aGroups_, bGroups_;
  std::size_t aBytes_;
  std::int64_t panelBytes_;
  std::size_t allPanelBytes_;
};

}  // namespace

std::unique_ptr<Contraction> makeIntegerProduct(const IntegerProductSpec& spec, unsigned threads) {
  return std::make_unique<IntegerProduct>(spec, threads);
}

}  // namespace contraction
}  // namespace popir
