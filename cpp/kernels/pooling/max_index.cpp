#include "kernels/pooling/max_index.hpp"

#include <algorithm>

#include "kernels/check.hpp"
#include "kernels/half.hpp"
#include "kernels/parallel.hpp"
#include "kernels/pooling/pool.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<MaxIndexKernel> kSavedMaxIndex("max pool index");

/// Elements T, compared as C.
template <class T, class C>
class MaxIndexRunner : public Runner {
 public:
  MaxIndexRunner(std::vector<PoolAxis> axes, bool columnMajor, const Layout& in, unsigned threads)
      : axes_(std::move(axes)),
        columnMajor_(columnMajor),
        planes_(in.shape[0] * in.shape[1]),
        threads_(threads) {
    steps_.resize(axes_.size());
    for (std::size_t d = axes_.size(); d-- > 0; positions_ *= axes_[d].in) steps_[d] = positions_;
    for (PoolAxis& a : axes_) {
      outputs_ *= a.out;
      a.inside.clear();
      for (std::int64_t o = 0; o < a.out; ++o) {
        const auto from = [&](std::int64_t x) {
          const std::int64_t distance = x - a.at(o, 0);
          return std::clamp<std::int64_t>((distance + a.dilation - 1) / a.dilation, 0, a.kernel);
        };
        a.inside.push_back({from(0), from(a.in)});
      }
    }
    for (std::size_t d = 0; d < outer(); ++d) {
      std::int64_t most = 0;
      for (const PoolRange& range : axes_[d].inside) most = std::max(most, range.end - range.begin);
      mostRows_ *= static_cast<std::size_t>(std::max<std::int64_t>(most, 0));
    }
  }

  void run(void* const* operands, void*) const override {
    const auto* in = static_cast<const T*>(operands[0]);
    auto* index = static_cast<std::int64_t*>(operands[1]);
    if (outputs_ == 0) return;
    const PoolAxis& across = axes_.back();
    parallelFor(planes_, threads_, planes_ * (positions_ + outputs_), [&](std::int64_t plane) {
      const std::int64_t first = plane * positions_;
      const Places output(outer()), tap(outer()), rows(mostRows_);
      std::fill_n(output.begin(), outer(), 0);
      std::int64_t* to = index + plane * outputs_;
      do {
        const std::size_t count = findRows(output, tap, rows);
        for (std::int64_t o = 0; o < across.out; ++o) {
          const std::int64_t found = positionOf(in + first, rows, count, o);
          *to++ = found < 0 ? found : first + (columnMajor_ ? columnMajor(found) : found);
        }
      } while (next(output, [&](std::size_t d) { return PoolRange{0, axes_[d].out}; }));
    });
  }

 private:
  using Places = pool::OwnArray<std::int64_t>;

  /// The number of dimensions but the last.
  std::size_t outer() const { return axes_.size() - 1; }

  /// Moves on to the next position of a box, the last dimension fastest; false after the last.
  template <class RangeOf>
  bool next(const Places& at, const RangeOf& rangeOf) const {
    for (std::size_t d = outer(); d-- > 0;) {
      const PoolRange range = rangeOf(d);
      if (++at[d] < range.end) return true;
      at[d] = range.begin;
    }
    return false;
  }

  /// Where the rows of the windows of the outputs at `o` begin, and how many there are: `o` and `tap`,
  /// which is for its own use, have all dimensions but the last.
  std::size_t findRows(const Places& o, const Places& tap, const Places& rows) const {
    const auto rangeOf = [&](std::size_t d) { return axes_[d].inside[o[d]]; };
    for (std::size_t d = 0; d < outer(); ++d) {
      if (rangeOf(d).begin >= rangeOf(d).end) return 0;
      tap[d] = rangeOf(d).begin;
    }
    std::size_t count = 0;
    do {
      std::int64_t row = 0;
      for (std::size_t d = 0; d < outer(); ++d) row += axes_[d].at(o[d], tap[d]) * steps_[d];
      rows[count++] = row;
    } while (next(tap, rangeOf));
    return count;
  }

  /// Of the window of the output `o` of a row; -1 if it has no element.
  std::int64_t positionOf(const T* plane, const Places& rows, std::size_t rowCount,
                          std::int64_t o) const {
    const PoolAxis& a = axes_.back();
    const PoolRange range = a.inside[o];
    const std::int64_t begin = a.at(o, range.begin), count = range.end - range.begin;
    if (rowCount == 0 || count <= 0) return -1;
    std::int64_t found = rows[0] + begin;
    C most = static_cast<C>(plane[found]);
    for (std::size_t r = 0; r < rowCount; ++r) {
      std::int64_t position = rows[r] + begin;
      for (std::int64_t i = 0; i < count; ++i, position += a.dilation) {
        const C x = static_cast<C>(plane[position]);
        if (x > most || (x != x && most == most)) {
          found = position;
          most = x;
        }
      }
    }
    return found;
  }

  /// The number of a position where the first dimension counts fastest.
  std::int64_t columnMajor(std::int64_t position) const {
    std::int64_t number = 0, step = 1;
    for (std::size_t d = 0; d < axes_.size(); step *= axes_[d++].in)
      number += position / steps_[d] % axes_[d].in * step;
    return number;
  }

  std::vector<PoolAxis> axes_;
  std::size_t mostRows_ = 1;  // of a window
  bool columnMajor_;
  std::int64_t planes_, positions_ = 1, outputs_ = 1;
  std::vector<std::int64_t> steps_;  // elements between neighbours
  unsigned threads_;
};

}  // namespace

std::unique_ptr<Runner> MaxIndexKernel::prepare(const std::vector<Layout>& operands,
                                                const Setting& setting) const {
  using Kind = poplar::Type::Kind;
  const Layout& in = operands[0];
  const auto make = [&](auto t, auto c) -> std::unique_ptr<Runner> {
    return std::make_unique<MaxIndexRunner<decltype(t), decltype(c)>>(axes_, columnMajor_, in,
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

void MaxIndexKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, 2);
  // What holds of the pooling whose maxima these are.
  auto pooled = operands;
  pooled[1].type = operands[0].type;
  PoolKernel(PoolKind::Max, axes_).check(pooled);
  requireOperand(operands[1], Access::Write, poplar::LONGLONG, operands[1].shape);
}

Work MaxIndexKernel::work(const std::vector<Layout>& operands) const {
  const std::uint64_t out = operands[1].elements();
  std::uint64_t window = 1;
  for (const PoolAxis& a : axes_) window *= static_cast<std::uint64_t>(a.kernel);
  return {"popnn::MaxPoolingIndex", WindowsWork{operands[0].type, out, window}, out * window};
}

}  // namespace popir
