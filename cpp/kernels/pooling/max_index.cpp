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

/// Counts through a box of positions, the last dimension fastest.
class BoxCounter {
 public:
  explicit BoxCounter(std::vector<PoolRange> box) : box_(std::move(box)) {
    for (const PoolRange& range : box_) {
      at.push_back(range.begin);
      empty = empty || range.begin >= range.end;
    }
  }
  /// False after the last position.
  bool next() {
    for (std::size_t d = box_.size(); d-- > 0; at[d] = box_[d].begin)
      if (++at[d] < box_[d].end) return true;
    return false;
  }

  std::vector<std::int64_t> at;
  bool empty = false;

 private:
  std::vector<PoolRange> box_;
};

/// Elements T, compared as C.
template <class T, class C>
class MaxIndexRunner : public Runner {
 public:
  MaxIndexRunner(std::vector<PoolAxis> axes, bool columnMajor, const Layout& in, unsigned threads)
      : axes_(std::move(axes)), planes_(in.shape[0] * in.shape[1]), threads_(threads) {
    const std::size_t n = axes_.size();
    rowMajor_.resize(n);
    counted_.resize(n);
    for (std::size_t d = n; d-- > 0; positions_ *= axes_[d].in) rowMajor_[d] = positions_;
    counted_ = rowMajor_;
    std::int64_t step = 1;
    for (std::size_t d = 0; columnMajor && d < n; step *= axes_[d++].in) counted_[d] = step;
    for (const PoolAxis& axis : axes_) outputs_ *= axis.out;
  }

  void run(void* const* operands, void*) const override {
    const auto* in = static_cast<const T*>(operands[0]);
    auto* index = static_cast<std::int64_t*>(operands[1]);
    if (outputs_ == 0) return;
    std::vector<PoolRange> box;
    for (const PoolAxis& axis : axes_) box.push_back({0, axis.out});
    parallelFor(planes_, threads_, planes_ * (positions_ + outputs_), [&](std::int64_t plane) {
      BoxCounter output(box);
      for (std::int64_t* to = index + plane * outputs_;; ++to) {
        *to = indexOf(in + plane * positions_, output.at, plane * positions_);
        if (!output.next()) break;
      }
    });
  }

 private:
  /// Of the window of the output at `o`, in the plane that begins with element `first`.
  std::int64_t indexOf(const T* plane, const std::vector<std::int64_t>& o,
                       std::int64_t first) const {
    std::vector<PoolRange> taps;
    for (std::size_t d = 0; d < axes_.size(); ++d) {
      const PoolAxis& a = axes_[d];
      const auto from = [&](std::int64_t x) {
        const std::int64_t distance = x - a.at(o[d], 0);
        return std::clamp<std::int64_t>((distance + a.dilation - 1) / a.dilation, 0, a.kernel);
      };
      taps.push_back({from(0), from(a.in)});
    }
    BoxCounter tap(std::move(taps));
    std::int64_t found = -1;
    if (tap.empty) return found;
    C most{};
    do {
      std::int64_t position = 0, number = 0;
      for (std::size_t d = 0; d < axes_.size(); ++d) {
        const std::int64_t at = axes_[d].at(o[d], tap.at[d]);
        position += at * rowMajor_[d];
        number += at * counted_[d];
      }
      const C x = static_cast<C>(plane[position]);
      if (found < 0 || x > most || (x != x && most == most)) {
        found = first + number;
        most = x;
      }
    } while (tap.next());
    return found;
  }

  std::vector<PoolAxis> axes_;
  std::int64_t planes_, positions_ = 1, outputs_ = 1;
  std::vector<std::int64_t> rowMajor_, counted_;  // steps of positions, and of indices
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
  return {"popnn::MaxPoolingIndex", PoolingWork{operands[0].type, out, window}, out * window};
}

}  // namespace popir
