// Loops of products of integer matrices, with sums of 32 bits that wrap. Elements of A and B come
// in words of 32 bits along k: two shorts, or four bytes.
#ifndef popir_kernels_contraction_words_hpp
#define popir_kernels_contraction_words_hpp

#include <cstddef>
#include <cstdint>
#include <poplar/Type.hpp>

namespace popir {

constexpr std::int64_t kWordBytes = 4, kMostPerWord = 4;
/// The most columns of a panel.
constexpr std::int64_t kMostWordColumns = 32;

/// The terms of a Requantization (requantization.hpp), for each column of a panel.
struct alignas(64) RequantizationTerms {
  std::int32_t bias[kMostWordColumns];
  float factor[kMostWordColumns], offset[kMostWordColumns], zero[kMostWordColumns];
  /// For isWhole.
  std::int32_t wholeZero[kMostWordColumns];
  float low[kMostWordColumns], high[kMostWordColumns];
  bool hasOffset, isRectified, isRounded, isSigned;
  /// Whether zero points are whole numbers and no NaN can arise: then what is clamped to the bounds of
  /// a byte minus these, and then rounded to integers, is the same, in fewer steps.
  bool isWhole;
  /// Whether, beside that, all that is converted to integers is within 32 bits, and zero points within 9.
  bool isSmall;
};

/// Where rows of bytes go that are made of sums: the first `columns` of each, `row` bytes apart.
struct BytesOf {
  const RequantizationTerms* terms;
  std::uint8_t* to;
  std::int64_t row, columns;
};

/// The loops of one instruction set for one type of elements.
struct WordsKernel {
  /// The instruction set, for reports.
  const char* name;
  /// The columns of a panel, and the elements of a word.
  std::int64_t columns, perWord;
  /// C [rows, columns] = A B, or C += A B if `add`. A: rows of words, aRow bytes apart; B: a panel
  /// of words [words, columns]; C: rows that are cRow elements apart.
  void (*run)(const std::byte* a, std::int64_t aRow, const std::byte* panel, std::int64_t words,
              std::int32_t* c, std::int64_t cRow, std::int64_t rows, bool add);
  /// The same, where word w of row r of A is at a + rowsOfA[r] + taps[w], and C has the panel's
  /// columns up to `columns`, rounded up to those of a vector.
  void (*runAt)(const std::byte* a, const std::int64_t* rowsOfA, const std::int64_t* taps,
                const std::byte* panel, std::int64_t words, std::int32_t* c, std::int64_t cRow,
                std::int64_t rows, std::int64_t columns, bool add);
  /// The same, where the sums become bytes while they are in registers. Terms are small and have no
  /// offset. With `add` C, of rows of the panel's columns, has what is added to. Null if there are
  /// none.
  void (*runToBytes)(const std::byte* a, std::int64_t aRow, const std::byte* panel,
                     std::int64_t words, std::int32_t* c, std::int64_t rows, bool add,
                     const BytesOf& made);
  void (*runAtToBytes)(const std::byte* a, const std::int64_t* rowsOfA, const std::int64_t* taps,
                       const std::byte* panel, std::int64_t words, std::int32_t* c,
                       std::int64_t rows, bool add, const BytesOf& made);
  /// For each lane: element j of row r of C, of rows of the panel's columns, is the sum of
  /// products of the words at a + rowsOfA[r] + taps[w], at word j, and of word j of B, [words, columns].
  void (*runLanes)(const std::byte* a, const std::int64_t* rowsOfA, const std::int64_t* taps,
                   const std::byte* panel, std::int64_t words, std::int32_t* c, std::int64_t rows,
                   std::int64_t columns, bool add);
  /// Starts sums that zero points take part in: overwrites C [rows, columns] with
  /// -aZeros[row] * sums[column] - rests[row] * bZeros[column], where `sums` are those of the
  /// columns of B, and `rests` those of the rows of A minus k times their zero points (restOf()).
  void (*startRows)(const std::int32_t* sums, const std::int32_t* bZeros,
                    const std::int32_t* aZeros, const std::int32_t* rests, std::int32_t* c,
                    std::int64_t cRow, std::int64_t rows);
  /// Makes bytes, or floats, of C, [rows, columns of a panel], dense, and stores the first `columns` of
  /// each row, at a distance of toRow elements. The terms are by column.
  void (*requantize)(const std::int32_t* c, std::int64_t rows, std::int64_t columns,
                     const RequantizationTerms& terms, std::uint8_t* to, std::int64_t toRow);
  void (*dequantize)(const std::int32_t* c, std::int64_t rows, std::int64_t columns,
                     const RequantizationTerms& terms, float* to, std::int64_t toRow);
  /// Makes elements of A of bytes, SIGNED_CHAR or else UNSIGNED_CHAR: shorts; or bytes without
  /// signs, where those that have one get 128 added.
  void (*widen)(const std::uint8_t* from, bool isSigned, std::int64_t n, void* to);
  /// The same, if `to` is not null; and returns the sum of these elements, modulo 2^32.
  std::int32_t (*copyRow)(const std::uint8_t* from, bool isSigned, std::int64_t n, void* to);
  /// Makes words of A of bytes: word i has element i of each of `perWord` rows.
  void (*weave)(const std::uint8_t* const* rows, bool isSigned, std::int64_t n, void* to);
};

/// Words along k that a panel has at a time, so that it stays in the L1 cache.
constexpr std::int64_t kWordsOfBlock = 256;

namespace base {
extern const WordsKernel kShorts;
}
namespace avx2 {
extern const WordsKernel kShorts;
}
namespace avx512 {
extern const WordsKernel kShorts;
}
namespace avx512vnni {
/// A has unsigned bytes, B signed ones.
extern const WordsKernel kShorts, kBytes;
}  // namespace avx512vnni

/// The best loops of this machine for shorts.
const WordsKernel& shortsKernel();
/// Those for bytes; null on a machine without VNNI, and if POPIR_ISA holds the process to less.
const WordsKernel* bytesKernel();

/// The rows of C that are computed at a time.
constexpr std::int64_t kWordRowsOfBlock = 48;

/// Element i of bytes of SIGNED_CHAR or UNSIGNED_CHAR.
inline std::int32_t byteAt(const void* from, const poplar::Type& type, std::int64_t i) {
  return type == poplar::UNSIGNED_CHAR ? std::int32_t{static_cast<const std::uint8_t*>(from)[i]}
                                       : std::int32_t{static_cast<const std::int8_t*>(from)[i]};
}

/// sum - k * zero, modulo 2^32.
inline std::int32_t restOf(std::int32_t sum, std::int64_t k, std::int32_t zero) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) -
                                   static_cast<std::uint32_t>(k) *
                                       static_cast<std::uint32_t>(zero));
}

/// kernel.run() and kernel.runAt() for all words, a block of them at a time, and then
/// kernel.requantize() if there is something to make, for which C has rows of the panel's columns.
void runWords(const WordsKernel& kernel, const std::byte* a, std::int64_t aRow,
              const std::byte* panel, std::int64_t words, std::int32_t* c, std::int64_t cRow,
              std::int64_t rows, bool add, const BytesOf* made = nullptr);
void runWordsAt(const WordsKernel& kernel, const std::byte* a, const std::int64_t* rowsOfA,
                const std::int64_t* taps, const std::byte* panel, std::int64_t words,
                std::int32_t* c, std::int64_t cRow, std::int64_t rows, std::int64_t columns,
                bool add, const BytesOf* made = nullptr);

}  // namespace popir

#endif
