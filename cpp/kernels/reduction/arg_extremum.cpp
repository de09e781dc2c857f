#include "kernels/reduction/arg_extremum.hpp"

#include <algorithm>

#include "kernels/check.hpp"
#include "kernels/half.hpp"
#include "kernels/parallel.hpp"
#include "kernels/reduction/arg_lines.hpp"
#include "kernels/reduction/reduce_functions.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<ArgExtremumKernel> kSavedArgExtremum("arg extremum");

constexpr std::int64_t kBlock = 256;    // elements converted at a time
constexpr std::int64_t kSearched = 32;  // elements searched at a time

/// Finds the extremum, then searches for its position.
class ExtremumOfRow {
 public:
  ExtremumOfRow(bool max, poplar::Type type)
      : max_(max),
        vectors_(reduceFunctions(type, max ? popops::Operation::MAX : popops::Operation::MIN)) {}

  /// \pre n > 0. Elements T, compared as C.
  template <class T, class C>
  C of(const T* row, std::int64_t n) const {
    C extremum;
    if (vectors_)
      vectors_.rows(row, 1, n, n, &extremum);
    else
      extremum =
          static_cast<C>(max_ ? *std::max_element(row, row + n) : *std::min_element(row, row + n));
    return extremum;
  }

 private:
  bool max_;
  ReduceFunctions vectors_;  // null for 8 and 16-bit integers
};

/// Elements T, compared as C: float for 16-bit floats, else T.
template <class T, class C>
class ArgExtremumRunner : public Runner {
 public:
  ArgExtremumRunner(bool max, bool values, bool last, const Layout& in, unsigned threads)
      : extremum_(max, in.type),
        values_(values),
        last_(last),
        rows_(in.shape[0]),
        columns_(in.shape[1]),
        threads_(threads) {}

  void run(void* const* operands, void*) const override {
    const auto* in = static_cast<const T*>(operands[0]);
    auto* index = static_cast<std::uint32_t*>(operands[1]);
    parallelFor(rows_, threads_, rows_ * columns_, [&](std::int64_t r) {
      const T* row = in + r * columns_;
      const C extremum = extremum_.template of<T, C>(row, columns_);
      index[r] = static_cast<std::uint32_t>(last_ ? findLast(row, extremum) : find(row, extremum));
      if (values_) static_cast<T*>(operands[2])[r] = row[index[r]];
    });
  }

 private:
  static bool matches(C v, C extremum) { return v == extremum || (extremum != extremum && v != v); }

  /// Of kSearched elements.
  static bool anyMatches(const C* x, C extremum) {
    unsigned any = 0;
    if (extremum == extremum)
      for (std::int64_t i = 0; i < kSearched; ++i) any |= x[i] == extremum;
    else
      for (std::int64_t i = 0; i < kSearched; ++i) any |= x[i] != x[i];
    return any != 0;
  }

  std::int64_t find(const T* row, C extremum) const {
    const auto among = [&](const C* x, std::int64_t n) {
      const auto is = [&](C v) { return matches(v, extremum); };
      std::int64_t i = 0;
      while (i + kSearched <= n && !anyMatches(x + i, extremum)) i += kSearched;
      return std::find_if(x + i, x + n, is) - x;
    };
    if constexpr (std::is_same_v<T, C>) {
      return among(row, columns_);
    } else {
      C block[kBlock];
      for (std::int64_t begin = 0;; begin += kBlock) {
        const std::int64_t n = std::min(kBlock, columns_ - begin);
        toFloats(row + begin, block, n);
        const std::int64_t at = among(block, n);
        if (at < n) return begin + at;
      }
    }
  }

  std::int64_t findLast(const T* row, C extremum) const {
    std::int64_t i = columns_ - 1;
    while (!matches(static_cast<C>(row[i]), extremum)) --i;
    return i;
  }

  ExtremumOfRow extremum_;
  bool values_, last_;
  std::int64_t rows_, columns_;
  unsigned threads_;
};

/// Along the middle of three dimensions: neighbouring lines together.
template <class T, class C>
class ArgExtremumOfLinesRunner : public Runner {
  static constexpr std::int64_t kLines = 512;

 public:
  ArgExtremumOfLinesRunner(bool max, bool last, const Layout& in, unsigned threads)
      : step_(argLines<C>(max, last)),
        outer_(in.shape[0]),
        columns_(in.shape[1]),
        inner_(in.shape[2]),
        threads_(threads) {}

  void run(void* const* operands, void*) const override {
    const auto* in = static_cast<const T*>(operands[0]);
    auto* index = static_cast<std::uint32_t*>(operands[1]);
    const std::int64_t blocks = (inner_ + kLines - 1) / kLines;
    parallelFor(outer_ * blocks, threads_, outer_ * columns_ * inner_, [&](std::int64_t task) {
      const std::int64_t begin = task % blocks * kLines, o = task / blocks;
      const std::int64_t n = std::min(kLines, inner_ - begin);
      find(in + o * columns_ * inner_ + begin, n, index + o * inner_ + begin);
    });
  }

 private:
  /// n elements as C, where they lie or in `buffer`.
  static const C* load(const T* from, C* buffer, std::int64_t n) {
    if constexpr (std::is_same_v<T, C>) {
      return from;
    } else {
      toFloats(from, buffer, n);
      return buffer;
    }
  }

  /// n lines.
  void find(const T* x, std::int64_t n, std::uint32_t* index) const {
    alignas(64) C best[kLines], buffer[kLines];
    std::copy_n(load(x, buffer, n), n, best);
    std::fill_n(index, n, 0);
    for (std::int64_t i = 1; i < columns_; ++i)
      step_({load(x + i * inner_, buffer, n), best, index, static_cast<std::uint32_t>(i), n});
  }

  ArgLines step_;
  std::int64_t outer_, columns_, inner_;
  unsigned threads_;
};

}  // namespace

bool ArgExtremumKernel::supports(poplar::Type type) {
  using Kind = poplar::Type::Kind;
  switch (type.kind()) {
    case Kind::Bool:
    case Kind::Quarter:
    case Kind::Invalid: return false;
    default: return true;
  }
}

std::unique_ptr<Runner> ArgExtremumKernel::prepare(const std::vector<Layout>& operands,
                                                   const Setting& setting) const {
  using Kind = poplar::Type::Kind;
  const Layout& in = operands[0];
  const auto make = [&](auto t, auto c) -> std::unique_ptr<Runner> {
    if (in.shape.size() == 3)
      return std::make_unique<ArgExtremumOfLinesRunner<decltype(t), decltype(c)>>(max_, last_, in,
                                                                                  setting.threads);
    return std::make_unique<ArgExtremumRunner<decltype(t), decltype(c)>>(max_, values_, last_, in,
                                                                         setting.threads);
  };
  switch (in.type.kind()) {
    case Kind::Half: return make(half(), float());
    case Kind::Bfloat16: return make(Bfloat16(), float());
    case Kind::Double: return make(double(), double());
    case Kind::Char:
    case Kind::SignedChar: return make(std::int8_t(), std::int8_t());
    case Kind::UnsignedChar: return make(std::uint8_t(), std::uint8_t());
    case Kind::Short: return make(std::int16_t(), std::int16_t());
    case Kind::UnsignedShort: return make(std::uint16_t(), std::uint16_t());
    case Kind::Int: return make(std::int32_t(), std::int32_t());
    case Kind::UnsignedInt: return make(std::uint32_t(), std::uint32_t());
    case Kind::Longlong: return make(std::int64_t(), std::int64_t());
    case Kind::UnsignedLonglong: return make(std::uint64_t(), std::uint64_t());
    default: return make(float(), float());
  }
}

void ArgExtremumKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, values_ ? 3 : 2);
  const auto& in = operands[0];
  const std::size_t rank = in.shape.size();
  require(supports(in.type) && (rank == 2 || (rank == 3 && !values_)),
          "the rows to look through are none");
  requireOperand(in, Access::Read, in.type, in.shape);
  std::vector<std::int64_t> rows = {in.shape[0]};
  if (rank == 3) rows.push_back(in.shape[2]);
  require(in.shape[1] > 0 || rows.front() == 0 || rows.back() == 0,
          "rows without elements have no extremum");
  requireOperand(operands[1], Access::Write, poplar::UNSIGNED_INT, rows);
  if (values_) requireOperand(operands[2], Access::Write, in.type, rows);
}

Work ArgExtremumKernel::work(const std::vector<Layout>& operands) const {
  const auto rows = static_cast<std::uint64_t>(operands[1].elements());
  const auto columns = static_cast<std::uint64_t>(operands[0].shape[1]);
  return {max_ ? "popnn::ReduceMaxClassGather" : "popnn::ReduceMinClassGather",
          RowsWork{operands[0].type, rows, columns}, rows * columns};
}

}  // namespace popir
