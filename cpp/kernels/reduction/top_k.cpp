#include "kernels/reduction/top_k.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/check.hpp"
#include "kernels/half.hpp"
#include "kernels/parallel.hpp"
#include "kernels/reduction/top_k_blocks.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<TopKKernel> kSavedTopK("top k");

/// The number's place in ascending order: NaN is last, both zeros are one. Key: an unsigned integer
/// as wide as T.
template <class Key, class T>
Key orderOf(T x) {
  constexpr Key kSign = Key(1) << (sizeof(Key) * 8 - 1);
  if constexpr (std::is_floating_point_v<T>) {
    if (x != x) return std::numeric_limits<Key>::max();
    if (x == 0) return kSign;
    Key bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits & kSign ? static_cast<Key>(~bits) : static_cast<Key>(bits | kSign);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<Key>(static_cast<Key>(x) ^ kSign);
  } else {
    return static_cast<Key>(x);
  }
}

/// An element to choose from; small ones are chosen first. Elements of up to 32 bits are one number.
struct NarrowItem {
  std::uint64_t both;
  NarrowItem() = default;
  NarrowItem(std::uint32_t key, std::uint32_t column)
      : both(static_cast<std::uint64_t>(key) << 32 | column) {}
  std::uint32_t column() const { return static_cast<std::uint32_t>(both); }
  std::uint32_t order() const { return static_cast<std::uint32_t>(both >> 32); }
  void turn() { both ^= 0xffffffff00000000; }
  bool operator<(const NarrowItem& o) const { return both < o.both; }
};

struct WideItem {
  std::uint64_t key;
  std::uint32_t at;
  WideItem() = default;
  WideItem(std::uint64_t key, std::uint32_t column) : key(key), at(column) {}
  std::uint32_t column() const { return at; }
  std::uint64_t order() const { return key; }
  void turn() { key = ~key; }
  bool operator<(const WideItem& o) const { return key != o.key ? key < o.key : at < o.at; }
};

// The most elements that are kept in order as they are found.
constexpr std::int64_t kInserted = 32;

/// Elements T, compared as C.
template <class T, class C>
class TopKRunner : public Runner {
  static constexpr bool kWide = sizeof(C) == 8;
  using Key = std::conditional_t<kWide, std::uint64_t, std::uint32_t>;
  using Item = std::conditional_t<kWide, WideItem, NarrowItem>;

 public:
  TopKRunner(bool largest, bool ascending, const Layout& in, std::int64_t k, unsigned threads)
      : largest_(largest),
        turned_(ascending == largest),
        rows_(in.shape[0]),
        columns_(in.shape[1]),
        k_(k),
        threads_(threads) {
    if constexpr (std::is_same_v<T, C>) better_ = betterOnes<T>(largest);
    each_ = (sizeof(Item) * static_cast<std::size_t>(columns_) + 63) / 64 * 64;
  }

  std::size_t scratchBytes() const override { return each_ * threads_; }

  void run(void* const* operands, void* scratch) const override {
    const auto* in = static_cast<const T*>(operands[0]);
    auto* values = static_cast<T*>(operands[1]);
    auto* index = static_cast<std::uint32_t*>(operands[2]);
    if (k_ == 0) return;
    parallelFor(rows_, threads_, rows_ * columns_, [&](std::int64_t r, unsigned thread) {
      auto* items = reinterpret_cast<Item*>(static_cast<char*>(scratch) + each_ * thread);
      const T* row = in + r * columns_;
      choose(row, items);
      for (std::int64_t i = 0; i < k_; ++i) {
        index[r * k_ + i] = items[i].column();
        values[r * k_ + i] = row[items[i].column()];
      }
    });
  }

 private:
  /// The first k items become the chosen ones, in order.
  void choose(const T* row, Item* items) const {
    if (k_ <= kInserted && k_ <= columns_ / 4) {
      inserted(row, items);
      if (!turned_) return;
    } else if (k_ <= columns_ / 4)
      few(row, items);
    else
      many(row, items);
    if (turned_)
      for (std::int64_t i = 0; i < k_; ++i) items[i].turn();
    std::sort(items, items + k_);
  }

  Key keyOf(T x) const {
    const auto key = orderOf<Key>(static_cast<C>(x));
    return largest_ ? static_cast<Key>(~key) : key;
  }

  void many(const T* row, Item* items) const {
    for (std::int64_t i = 0; i < columns_; ++i)
      items[i] = Item(keyOf(row[i]), static_cast<std::uint32_t>(i));
    if (k_ < columns_) std::nth_element(items, items + k_, items + columns_);
  }

  /// Keeps the best k of what was seen in order. An equal element of a higher column is not better.
  void inserted(const T* row, Item* items) const {
    std::int64_t count = 0;
    T bound = row[0];  // the worst of k, once there are so many
    const auto insert = [&](std::int64_t i) {
      const Item item(keyOf(row[i]), static_cast<std::uint32_t>(i));
      if (count == k_ && !(item < items[k_ - 1])) return;
      std::int64_t place = count < k_ ? count++ : k_ - 1;
      for (; place > 0 && item < items[place - 1]; --place) items[place] = items[place - 1];
      items[place] = item;
      if (count == k_) bound = row[items[k_ - 1].column()];
    };
    for (std::int64_t begin = 0; begin < columns_; begin += kCompared)
      forBetter(row, begin, count == k_, bound, insert);
  }

  /// Collects what is better than the worst of k that are known, up to 2 k; then the better half is
  /// kept. An equal element of a higher column is not better.
  void few(const T* row, Item* items) const {
    std::int64_t count = 0;
    Key worst = std::numeric_limits<Key>::max();
    T bound = row[0];  // the worst of k, once there are any
    const auto halve = [&] {
      std::nth_element(items, items + k_ - 1, items + count);
      worst = items[k_ - 1].order();
      bound = row[items[k_ - 1].column()];
      count = k_;
    };
    const auto collect = [&](std::int64_t i) {
      const Key key = keyOf(row[i]);
      if (key >= worst && count >= k_) return;
      items[count++] = Item(key, static_cast<std::uint32_t>(i));
      if (count == 2 * k_) halve();
    };
    for (std::int64_t begin = 0; begin < columns_; begin += kCompared)
      forBetter(row, begin, worst != std::numeric_limits<Key>::max(), bound, collect);
    if (count > k_) halve();
  }

  /// take(i) for each of up to kCompared elements from `begin` on, without those that are surely not
  /// better than the bound at the beginning, if it is known: neither is NaN.
  template <class Take>
  void forBetter(const T* row, std::int64_t begin, bool isKnown, const T& bound, Take take) const {
    const std::int64_t end = std::min(begin + kCompared, columns_);
    if constexpr (std::is_same_v<T, C>) {
      if (isKnown && end - begin == kCompared) {
        const T first = bound;
        for (std::uint32_t ones = better_(row + begin, &first); ones != 0; ones &= ones - 1)
          take(begin + __builtin_ctz(ones));
        return;
      }
    }
    for (std::int64_t i = begin; i < end; ++i) take(i);
  }

  bool largest_;
  bool turned_;  // whether the order is the opposite of the one in which they are chosen
  std::int64_t rows_, columns_, k_;
  BetterOnes better_ = nullptr;  // where elements are compared as they are
  unsigned threads_;
  std::size_t each_;
};

}  // namespace

bool TopKKernel::supports(poplar::Type type) {
  using Kind = poplar::Type::Kind;
  switch (type.kind()) {
    case Kind::Bool:
    case Kind::Quarter:
    case Kind::Invalid: return false;
    default: return true;
  }
}

std::unique_ptr<Runner> TopKKernel::prepare(const std::vector<Layout>& operands,
                                            const Setting& setting) const {
  using Kind = poplar::Type::Kind;
  const Layout& in = operands[0];
  const auto make = [&](auto t, auto c) -> std::unique_ptr<Runner> {
    return std::make_unique<TopKRunner<decltype(t), decltype(c)>>(
        largest_, ascending_, in, operands[1].shape[1], setting.threads);
  };
  switch (in.type.kind()) {
    case Kind::Half: return make(half(), float());
    case Kind::Bfloat16: return make(Bfloat16(), float());
    case Kind::Double: return make(double(), double());
    case Kind::Char:
    case Kind::SignedChar: return make(std::int8_t(), std::int32_t());
    case Kind::UnsignedChar: return make(std::uint8_t(), std::uint32_t());
    case Kind::Short: return make(std::int16_t(), std::int32_t());
    case Kind::UnsignedShort: return make(std::uint16_t(), std::uint32_t());
    case Kind::Int: return make(std::int32_t(), std::int32_t());
    case Kind::UnsignedInt: return make(std::uint32_t(), std::uint32_t());
    case Kind::Longlong: return make(std::int64_t(), std::int64_t());
    case Kind::UnsignedLonglong: return make(std::uint64_t(), std::uint64_t());
    default: return make(float(), float());
  }
}

void TopKKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, 3);
  const auto &in = operands[0], &values = operands[1];
  require(supports(in.type) && in.shape.size() == 2, "the rows to choose from are none");
  require(
      values.shape.size() == 2 && values.shape[0] == in.shape[0] && values.shape[1] <= in.shape[1],
      "more elements are chosen than a row has");
  require(in.shape[1] <= std::numeric_limits<std::uint32_t>::max(),
          "rows are too long for their columns to be numbered");
  requireOperand(in, Access::Read, in.type, in.shape);
  requireOperand(values, Access::Write, in.type, values.shape);
  requireOperand(operands[2], Access::Write, poplar::UNSIGNED_INT, values.shape);
}

Work TopKKernel::work(const std::vector<Layout>& operands) const {
  const auto rows = static_cast<std::uint64_t>(operands[0].shape[0]);
  const auto columns = static_cast<std::uint64_t>(operands[0].shape[1]);
  const auto k = static_cast<std::uint64_t>(operands[1].shape[1]);
  const SortedRowsWork work{operands[0].type, rows, columns, k};
  return {"popops::TopK", work, rows * work.comparisons()};
}

}  // namespace popir
