#include "kernels/pooling/roi.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/check.hpp"
#include "kernels/half.hpp"
#include "kernels/parallel.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<RoiKernel> kSavedRoi("roi pool");

struct RoiPlan {
  RoiKind kind;
  RoiSampling sampling;
  std::int64_t regions, images, channels, height, width, down, across;
  Rounding rounding;

  std::int64_t pixels() const { return height * width; }
  std::int64_t bins() const { return down * across; }
};

/// A pixel that a bin looks at, and its weight; the position -1 stands for samples outside of the
/// image, which are 0.
template <class C>
struct RoiTap {
  std::int64_t position;
  C weight;
};

/// The samples of the bins of one region in one direction.
template <class C>
struct RoiAxis {
  C start, step;      // of the first bin, of each
  std::int64_t grid;  // samples of a bin
  std::int64_t size;  // pixels

  C at(std::int64_t bin, std::int64_t i) const {
    return start + static_cast<C>(bin) * step +
           (static_cast<C>(i) + C(0.5)) * step / static_cast<C>(grid);
  }
  /// The samples that may be within the image: others count for nothing.
  std::pair<std::int64_t, std::int64_t> inside(std::int64_t bin) const {
    if (grid <= 64 || !(step > 0)) return {0, grid};
    const double first = static_cast<double>(start) + static_cast<double>(bin) * step;
    const double each = static_cast<double>(step) / static_cast<double>(grid);
    const auto number = [&](double x) {
      return static_cast<std::int64_t>(
          std::clamp((x - first) / each, 0.0, static_cast<double>(grid)));
    };
    return {std::max<std::int64_t>(number(-1.0) - 2, 0),
            std::min(number(static_cast<double>(size)) + 3, grid)};
  }
};

/// One direction of a sample: the pixels at both sides, and the weight of the second one.
template <class C>
struct RoiSides {
  std::int64_t low = 0, high = 0;
  C part = 0;

  /// False if `x` is outside of the image.
  bool find(C x, std::int64_t size) {
    if (!(x >= C(-1)) || !(x <= static_cast<C>(size))) return false;
    x = std::max(x, C(0));
    low = static_cast<std::int64_t>(x);
    if (low >= size - 1) {
      low = high = size - 1;
      part = 0;
    } else {
      high = low + 1;
      part = x - static_cast<C>(low);
    }
    return true;
  }
};

/// A region as what its bins look at. Coordinates are computed as C.
template <class C>
class RoiRegion {
 public:
  RoiRegion(const RoiPlan& plan, const C (&corners)[4]) : plan_(plan) {
    const C scale = static_cast<C>(plan.sampling.scale);
    C at[4];
    for (int i = 0; i < 4; ++i) {
      at[i] = corners[i] * scale;
      finite_ = finite_ && std::isfinite(at[i]);
    }
    if (!finite_) return;
    if (plan.kind == RoiKind::Max) {
      x_ = pixels(at[0], at[2], plan.across, plan.width);
      y_ = pixels(at[1], at[3], plan.down, plan.height);
    } else {
      x_ = samples(at[0], at[2], plan.across, plan.width);
      y_ = samples(at[1], at[3], plan.down, plan.height);
    }
    finite_ = std::isfinite(x_.step) && std::isfinite(y_.step);
  }

  bool finite() const { return finite_; }

  /// The number by which a sum of samples is divided.
  C count() const { return std::max(static_cast<C>(y_.grid) * static_cast<C>(x_.grid), C(1)); }

  /// Calls tap(RoiTap) for the pixels of a bin, and once for all samples outside of the image.
  template <class Tap>
  void forTaps(std::int64_t row, std::int64_t column, const Tap& tap) const {
    if (plan_.kind == RoiKind::Max)
      forPixels(row, column, tap);
    else
      forSamples(row, column, tap);
  }

 private:
  RoiAxis<C> samples(C begin, C end, std::int64_t bins, std::int64_t size) const {
    const C offset = plan_.sampling.halfPixel ? C(0.5) : C(0);
    const C start = begin - offset;
    C length = (end - offset) - start;
    if (!plan_.sampling.halfPixel) length = std::max(length, C(1));
    const C step = length / static_cast<C>(bins);
    constexpr double kMost = 1e15;
    const std::int64_t grid =
        plan_.sampling.ratio > 0
            ? plan_.sampling.ratio
            : static_cast<std::int64_t>(std::clamp<double>(std::ceil(step), 0, kMost));
    return {start, step, grid, size};
  }

  RoiAxis<C> pixels(C begin, C end, std::int64_t bins, std::int64_t size) const {
    const C start = std::round(begin);
    const C length = std::max(std::round(end) - start + C(1), C(1));
    return {start, length / static_cast<C>(bins), 0, size};
  }

  template <class Tap>
  void forSamples(std::int64_t row, std::int64_t column, const Tap& tap) const {
    const auto [top, bottom] = y_.inside(row);
    const auto [left, right] = x_.inside(column);
    bool outside = y_.grid > 0 && x_.grid > 0 && (bottom - top < y_.grid || right - left < x_.grid);
    for (std::int64_t iy = top; iy < bottom; ++iy) {
      RoiSides<C> y, x;
      const bool within = y.find(y_.at(row, iy), y_.size);
      for (std::int64_t ix = left; ix < right; ++ix) {
        if (!within || !x.find(x_.at(column, ix), x_.size)) {
          outside = true;
          continue;
        }
        tap({y.low * x_.size + x.low, (1 - y.part) * (1 - x.part)});
        tap({y.low * x_.size + x.high, (1 - y.part) * x.part});
        tap({y.high * x_.size + x.low, y.part * (1 - x.part)});
        tap({y.high * x_.size + x.high, y.part * x.part});
      }
    }
    if (outside) tap({-1, 0});
  }

  template <class Tap>
  void forPixels(std::int64_t row, std::int64_t column, const Tap& tap) const {
    const auto range = [](const RoiAxis<C>& a, std::int64_t bin) {
      const auto clamped = [&](C x) {
        return static_cast<std::int64_t>(std::clamp(x + a.start, C(0), static_cast<C>(a.size)));
      };
      return std::pair(clamped(std::floor(static_cast<C>(bin) * a.step)),
                       clamped(std::ceil(static_cast<C>(bin + 1) * a.step)));
    };
    const auto [top, bottom] = range(y_, row);
    const auto [left, right] = range(x_, column);
    for (std::int64_t y = top; y < bottom; ++y)
      for (std::int64_t x = left; x < right; ++x) tap({y * x_.size + x, C(1)});
  }

  const RoiPlan& plan_;
  RoiAxis<C> x_{}, y_{};
  bool finite_ = true;
};

/// Elements T, computed with as C.
template <class T, class C>
class RoiRunner : public Runner {
 public:
  explicit RoiRunner(RoiPlan plan, unsigned threads) : plan_(plan), threads_(threads) {}

 protected:
  /// Calls visit(region, image) for the region r, unless it has no image.
  template <class Visit>
  void withRegion(void* const* operands, std::int64_t r, const Visit& visit) const {
    const std::int64_t image = static_cast<const std::int32_t*>(operands[1])[r];
    if (image < 0 || image >= plan_.images || plan_.pixels() == 0) return;
    const T* given = static_cast<const T*>(operands[0]) + 4 * r;
    C corners[4];
    for (int i = 0; i < 4; ++i) corners[i] = static_cast<C>(given[i]);
    visit(RoiRegion<C>(plan_, corners), image);
  }

  /// The first of a bin's taps with the largest product, and that. A NaN is the largest.
  struct Best {
    bool any = false;
    RoiTap<C> tap = {-1, 0};
    C value = 0;

    void take(const RoiTap<C>& other, const T* pixels) {
      const C x = other.position < 0 ? C(0) : other.weight * static_cast<C>(pixels[other.position]);
      if (any && !(x > value) && !(x != x && value == value)) return;
      any = true;
      tap = other;
      value = x;
    }
  };

  RoiPlan plan_;
  unsigned threads_;
};

template <class T, class C>
class RoiForwardRunner : public RoiRunner<T, C> {
  // Channels of a task, and pixels of a bin that are found for all of these together.
  static constexpr std::int64_t kChannels = 64, kTaps = 128;

 public:
  using RoiRunner<T, C>::RoiRunner;

  void run(void* const* operands, void*) const override {
    const RoiPlan& p = this->plan_;
    const auto* in = static_cast<const T*>(operands[2]);
    auto* out = static_cast<T*>(operands[3]);
    const std::int64_t blocks = (p.channels + kChannels - 1) / kChannels;
    // Several times the results: a bin has many samples.
    const std::int64_t work = p.regions * p.channels * p.bins() * 16;
    parallelFor(p.regions * blocks, this->threads_, work, [&](std::int64_t task) {
      const std::int64_t r = task / blocks, begin = task % blocks * kChannels;
      const std::int64_t channels = std::min(kChannels, p.channels - begin);
      const std::int64_t first = (r * p.channels + begin) * p.bins();
      const auto put = [&](std::int64_t bin, const C* values) {
        for (std::int64_t c = 0; c < channels; ++c) {
          const std::int64_t at = first + c * p.bins() + bin;
          out[at] = rounded<T>(values[c], p.rounding, at);
        }
      };
      C values[kChannels] = {};
      for (std::int64_t bin = 0; bin < p.bins(); ++bin) put(bin, values);
      this->withRegion(operands, r, [&](const RoiRegion<C>& region, std::int64_t image) {
        const T* planes = in + (image * p.channels + begin) * p.pixels();
        for (std::int64_t bin = 0; bin < p.bins(); ++bin) {
          if (!region.finite())
            std::fill_n(values, channels, std::numeric_limits<C>::quiet_NaN());
          else if (p.kind == RoiKind::AlignAverage)
            average(region, planes, channels, bin, values);
          else
            largest(region, planes, channels, bin, values);
          put(bin, values);
        }
      });
    });
  }

 private:
  /// Calls use(taps, how many) for the pixels of a bin.
  template <class Use>
  void forRuns(const RoiRegion<C>& region, std::int64_t bin, const Use& use) const {
    RoiTap<C> taps[kTaps];
    std::int64_t n = 0;
    region.forTaps(bin / this->plan_.across, bin % this->plan_.across, [&](const RoiTap<C>& tap) {
      taps[n++] = tap;
      if (n == kTaps) use(taps, std::exchange(n, 0));
    });
    use(taps, n);
  }

  void average(const RoiRegion<C>& region, const T* planes, std::int64_t channels, std::int64_t bin,
               C* values) const {
    std::fill_n(values, channels, C(0));
    forRuns(region, bin, [&](RoiTap<C>* taps, std::int64_t n) {
      // Those of no weight do not count, whatever the pixel.
      n = std::remove_if(taps, taps + n, [](const RoiTap<C>& tap) { return tap.weight == 0; }) -
          taps;
      const T* plane = planes;
      for (std::int64_t c = 0; c < channels; ++c, plane += this->plan_.pixels())
        for (std::int64_t i = 0; i < n; ++i)
          values[c] += taps[i].weight * static_cast<C>(plane[taps[i].position]);
    });
    const C count = region.count();
    for (std::int64_t c = 0; c < channels; ++c) values[c] /= count;
  }

  void largest(const RoiRegion<C>& region, const T* planes, std::int64_t channels, std::int64_t bin,
               C* values) const {
    std::fill_n(values, channels, -std::numeric_limits<C>::infinity());
    bool any = false, outside = false;
    forRuns(region, bin, [&](RoiTap<C>* taps, std::int64_t n) {
      const auto end =
          std::remove_if(taps, taps + n, [](const RoiTap<C>& tap) { return tap.position < 0; });
      outside = outside || end != taps + n;
      any = any || end != taps;
      const T* plane = planes;
      for (std::int64_t c = 0; c < channels; ++c, plane += this->plan_.pixels()) {
        C most = values[c];
        for (const RoiTap<C>* tap = taps; tap != end; ++tap) {
          const C x = tap->weight * static_cast<C>(plane[tap->position]);
          most = x > most || x != x ? x : most;
        }
        values[c] = most;
      }
    });
    for (std::int64_t c = 0; c < channels; ++c)
      if (!any || (outside && values[c] < 0)) values[c] = 0;
  }
};

template <class T, class C>
class RoiGradientRunner : public RoiRunner<T, C> {
 public:
  using RoiRunner<T, C>::RoiRunner;

  std::size_t scratchBytes() const override {
    return sizeof(C) * static_cast<std::size_t>(this->plan_.pixels()) * this->threads_;
  }

  /// A task is a channel of an image: no two write one pixel.
  void run(void* const* operands, void* scratch) const override {
    const RoiPlan& p = this->plan_;
    const bool max = p.kind != RoiKind::AlignAverage;
    const auto* g = static_cast<const T*>(operands[2]);
    const auto* in = static_cast<const T*>(max ? operands[3] : nullptr);
    auto* out = static_cast<T*>(operands[max ? 4 : 3]);
    const std::int64_t planes = p.images * p.channels;
    const std::int64_t work = planes * p.pixels() + p.regions * p.channels * p.bins() * 16;
    parallelFor(planes, this->threads_, work, [&](std::int64_t plane, unsigned thread) {
      C* sums = static_cast<C*>(scratch) + thread * p.pixels();
      std::fill_n(sums, p.pixels(), C(0));
      const std::int64_t c = plane % p.channels;
      for (std::int64_t r = 0; r < p.regions; ++r)
        this->withRegion(operands, r, [&](const RoiRegion<C>& region, std::int64_t image) {
          if (image != plane / p.channels || !region.finite()) return;
          add(region, g + (r * p.channels + c) * p.bins(), max ? in + plane * p.pixels() : nullptr,
              sums);
        });
      storeEach<C>(out + plane * p.pixels(), 1, p.pixels(), p.rounding, plane * p.pixels(),
                   [&](std::int64_t i) { return sums[i]; });
    });
  }

 private:
  void add(const RoiRegion<C>& region, const T* g, const T* pixels, C* sums) const {
    const RoiPlan& p = this->plan_;
    for (std::int64_t bin = 0; bin < p.bins(); ++bin) {
      const std::int64_t row = bin / p.across, column = bin % p.across;
      const C slope = static_cast<C>(g[bin]);
      if (pixels) {
        typename RoiRunner<T, C>::Best best;
        region.forTaps(row, column, [&](const RoiTap<C>& tap) { best.take(tap, pixels); });
        if (best.tap.weight != 0) sums[best.tap.position] += slope * best.tap.weight;
      } else {
        const C share = slope / region.count();
        region.forTaps(row, column, [&](const RoiTap<C>& tap) {
          if (tap.weight != 0) sums[tap.position] += share * tap.weight;
        });
      }
    }
  }
};

/// Of each bin the pixel that the maximum is, times its weight, of other images.
template <class T, class C>
class RoiTangentRunner : public RoiRunner<T, C> {
 public:
  using RoiRunner<T, C>::RoiRunner;

  void run(void* const* operands, void*) const override {
    const RoiPlan& p = this->plan_;
    const auto* in = static_cast<const T*>(operands[2]);
    const auto* change = static_cast<const T*>(operands[3]);
    auto* out = static_cast<T*>(operands[4]);
    const std::int64_t work = p.regions * p.channels * p.bins() * 16;
    parallelFor(p.regions * p.channels, this->threads_, work, [&](std::int64_t task) {
      const std::int64_t r = task / p.channels, c = task % p.channels, first = task * p.bins();
      for (std::int64_t bin = 0; bin < p.bins(); ++bin)
        out[first + bin] = rounded<T>(C(0), p.rounding, first + bin);
      this->withRegion(operands, r, [&](const RoiRegion<C>& region, std::int64_t image) {
        if (!region.finite()) return;
        const std::int64_t plane = (image * p.channels + c) * p.pixels();
        for (std::int64_t bin = 0; bin < p.bins(); ++bin) {
          typename RoiRunner<T, C>::Best best;
          region.forTaps(bin / p.across, bin % p.across,
                         [&](const RoiTap<C>& tap) { best.take(tap, in + plane); });
          if (best.tap.weight == 0) continue;
          const C value = best.tap.weight * static_cast<C>(change[plane + best.tap.position]);
          out[first + bin] = rounded<T>(value, p.rounding, first + bin);
        }
      });
    });
  }
};

/// Images, and what is made of them, in the operands of a pass.
template <class Operand>
std::pair<const Operand&, const Operand&> planes(RoiPass pass,
                                                 const std::vector<Operand>& operands) {
  if (pass == RoiPass::Gradient) return {operands.back(), operands[2]};
  return {operands[2], operands.back()};
}

}  // namespace

bool RoiKernel::supports(poplar::Type type) {
  return isFloatOrHalf(type) || type == poplar::DOUBLE;
}

const char* RoiKernel::name() const {
  switch (pass_) {
    case RoiPass::Forward: return "roi pool";
    case RoiPass::Gradient: return "roi pool gradient";
    case RoiPass::Tangent: return "roi pool tangent";
  }
  return "";
}

std::unique_ptr<Runner> RoiKernel::prepare(const std::vector<Layout>& operands,
                                           const Setting& setting) const {
  using Kind = poplar::Type::Kind;
  const auto& [images, result] = planes(pass_, operands);
  const RoiPlan plan{kind_,           sampling_,       operands[0].shape[0], images.shape[0],
                     images.shape[1], images.shape[2], images.shape[3],      result.shape[2],
                     result.shape[3], setting.rounding};
  const auto make = [&](auto t, auto c) -> std::unique_ptr<Runner> {
    using T = decltype(t);
    using C = decltype(c);
    if (pass_ == RoiPass::Gradient)
      return std::make_unique<RoiGradientRunner<T, C>>(plan, setting.threads);
    if (pass_ == RoiPass::Tangent)
      return std::make_unique<RoiTangentRunner<T, C>>(plan, setting.threads);
    return std::make_unique<RoiForwardRunner<T, C>>(plan, setting.threads);
  };
  switch (images.type.kind()) {
    case Kind::Half: return make(half(), float());
    case Kind::Bfloat16: return make(Bfloat16(), float());
    case Kind::Double: return make(double(), double());
    default: return make(float(), float());
  }
}

void RoiKernel::check(const std::vector<OperandInfo>& operands) const {
  const bool gradient = pass_ == RoiPass::Gradient;
  const bool reads = pass_ == RoiPass::Tangent || (gradient && kind_ != RoiKind::AlignAverage);
  requireOperands(operands, reads ? 5 : 4);
  const auto& regions = operands[0];
  const auto& [images, result] = planes(pass_, operands);
  require(supports(images.type), "regions of images do not take this element type");
  require(pass_ != RoiPass::Tangent || kind_ != RoiKind::AlignAverage, "a mean has no tangent");
  require(
      images.shape.size() == 4 && result.shape.size() == 4 && images.shape[1] == result.shape[1],
      "images and what is made of them differ in channels");
  require(result.shape[2] >= 1 && result.shape[3] >= 1, "a region has no bins");
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  require(sampling_.ratio >= 0 && sampling_.ratio < kMost, "the sampling ratio is out of range");
  const std::int64_t n = result.shape[0];
  requireOperand(regions, Access::Read, images.type, {n, 4});
  requireOperand(operands[1], Access::Read, poplar::INT, {n});
  requireOperand(images, gradient ? Access::Write : Access::Read, images.type, images.shape);
  requireOperand(result, gradient ? Access::Read : Access::Write, images.type, result.shape);
  if (reads) requireOperand(operands[3], Access::Read, images.type, images.shape);
}

Work RoiKernel::work(const std::vector<Layout>& operands) const {
  const auto& [images, result] = planes(pass_, operands);
  // What is not known before it runs: regions of half the height and width of the image.
  const auto share = [](std::int64_t size, std::int64_t bins) {
    return static_cast<std::uint64_t>(size / 2 / bins + 1);
  };
  const std::uint64_t known = static_cast<std::uint64_t>(sampling_.ratio);
  const std::uint64_t samples =
      known > 0 && kind_ != RoiKind::Max
          ? known * known
          : share(images.shape[2], result.shape[2]) * share(images.shape[3], result.shape[3]);
  const std::uint64_t window = samples * (kind_ == RoiKind::Max ? 1 : 4);
  const std::uint64_t out = result.elements();
  return {pass_ == RoiPass::Gradient ? "popnn::RoiPoolingGradient" : "popnn::RoiPooling",
          WindowsWork{images.type, out, window}, out * window * 2};
}

}  // namespace popir
