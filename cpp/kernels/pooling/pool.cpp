#include "kernels/pooling/pool.hpp"

#include <algorithm>

#define POPIR_POOL_ALL
#define POPIR_ISA_NAMESPACE base
#include "kernels/check.hpp"
#include "kernels/contraction/meetings.hpp"
#include "kernels/half.hpp"
#include "kernels/parallel.hpp"
#include "kernels/pooling/pool.inc"
#include "kernels/saved_kernel.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace {

const SavedKernel<PoolKernel> kSavedPool("pool");

// The most bytes of input per band, over all lanes of a group, so that they stay in the L2 cache.
constexpr std::int64_t kBandBytes = 128 * 1024;

void findInside(PoolAxis& a) {
  for (std::int64_t o = 0; o < a.out; ++o) {
    // The first tap that reads position x or a later one. Computed by division, because a window
    // may be much larger than the input.
    const auto from = [&](std::int64_t x) {
      const std::int64_t distance = x - a.at(o, 0);
      return std::clamp<std::int64_t>((distance + a.dilation - 1) / a.dilation, 0, a.kernel);
    };
    const PoolRange k{from(0), from(a.in)};
    a.inside.push_back(k);
    if (k.end - k.begin < a.kernel) continue;
    if (a.whole.begin == a.whole.end) a.whole.begin = o;
    a.whole.end = o + 1;
  }
}

/// Whether planes that are plain are pooled faster one after the other than many together: a window is
/// many rows, which are joined, or windows are neighbours in rows, and
/// - the outputs of planes are whole pages apart, so that those of a group share the sets of a cache,
/// - or groups have more idle lanes than planes,
/// - or rows are long, without steps, but for maxima of large windows,
/// - or planes are long single rows, of which each element is brought into lanes for few windows.
bool isPooledByPlane(const PoolPlan& p, poplar::Type type) {
  constexpr std::int64_t kMostStep = 2, kLeastOfPages = 12, kLeastIfIdle = 48, kLeastOfLine = 256,
                         kPage = 4096, kLeastInputs = 16, kLeastRows = 8, kLeastWithoutSteps = 80,
                         kMostTapsOfMaxima = 3;
  const PoolAxis& last = p.axes.back();
  if (isGrad(p.kind) || isHalf(type) || p.in.block != 1 || p.out.block != 1) return false;
  const auto bytes = p.out.positions * static_cast<std::int64_t>(type.sizeInBytes());
  const std::int64_t outputs = last.whole.end - last.whole.begin;
  const bool gains = (bytes % kPage == 0 && outputs >= kLeastOfPages) ||
                     (2 * p.planes <= p.groups() * p.lanes && outputs >= kLeastIfIdle) ||
                     (last.stride == 1 && outputs >= kLeastWithoutSteps &&
                      (!isMax(p.kind) || last.kernel <= kMostTapsOfMaxima)) ||
                     (p.axes.size() == 1 && outputs >= kLeastOfLine);
  const bool neighbours = gains && last.stride <= kMostStep && last.pad <= last.in;
  const bool rows =
      p.rows == 1 && last.out == 1 && last.in >= kLeastInputs && p.window >= kLeastRows;
  return neighbours || rows;
}

/// Whether the rows of a window of a plain input are turned to channels last: these are read one by
/// one else, from far apart. They must stay in a core's cache.
bool turnsRows(const PoolPlan& p, poplar::Type type) {
  constexpr std::uint64_t kMostBytes = 1 << 18;
  std::uint64_t bytes = type.sizeInBytes();
  for (const auto size : {p.window, p.axes.back().in, p.channels})
    bytes = saturatingProduct(bytes, static_cast<std::uint64_t>(size));
  return p.in.block == 1 && !p.in.isLast && bytes <= kMostBytes;
}

class PoolRunner : public Runner {
 public:
  PoolRunner(PoolPlan plan, const PoolFunctions& functions, unsigned threads)
      : plan_(std::move(plan)), functions_(functions), threads_(threads) {
    each_ = (functions_.scratchBytes(plan_) + 63) / 64 * 64;
    bands_ = isGrad(plan_.kind) ? 1 : plan_.bands();
    work_ = plan_.planes * (plan_.in.positions + plan_.out.positions);
  }

  std::size_t scratchBytes() const override { return each_ * threads_; }

  void run(void* const* operands, void* scratch) const override {
    if (plan_.out.positions == 0 && !isGrad(plan_.kind)) return;
    parallelFor(plan_.groups() * bands_, threads_, work_, [&](std::int64_t task, unsigned thread) {
      functions_.run(plan_, operands, static_cast<char*>(scratch) + each_ * thread, task / bands_,
                     task % bands_);
    });
  }

 private:
  PoolPlan plan_;
  PoolFunctions functions_;
  unsigned threads_;
  std::size_t each_;
  std::int64_t bands_, work_;
};

/// Of operands with channels last.
class LastPoolRunner : public Runner {
 public:
  LastPoolRunner(PoolPlan plan, LastPooling function, std::size_t elementBytes, unsigned threads)
      : plan_(std::move(plan)), function_(function), threads_(threads) {
    const auto count = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    const std::int64_t positions = 1 + (plan_.turn ? plan_.window * plan_.axes.back().in : 0);
    each_ = (count(plan_.window) * sizeof(std::int64_t) +
             count(plan_.channels * positions) * elementBytes + 63) /
            64 * 64;
  }

  std::size_t scratchBytes() const override { return each_ * threads_; }

  void run(void* const* operands, void* scratch) const override {
    if (plan_.out.positions == 0 || plan_.planes == 0) return;
    const std::int64_t work = plan_.planes * (plan_.in.positions + plan_.out.positions);
    parallelFor(plan_.planes / plan_.channels * plan_.rows, threads_, work,
                [&](std::int64_t task, unsigned thread) {
                  function_(plan_, operands[0], operands[1],
                            static_cast<char*>(scratch) + each_ * thread, task);
                });
  }

 private:
  PoolPlan plan_;
  LastPooling function_;
  unsigned threads_;
  std::size_t each_;
};

}  // namespace

PoolOperand::PoolOperand(const Layout& layout)
    : positions(1),
      block(std::max(layout.channelBlock, 1)),
      isLast(layout.channelBlock == Layout::kChannelsLast) {
  for (std::size_t d = 2; d < layout.shape.size(); ++d) positions *= layout.shape[d];
}

PoolFunctions poolFunctions(poplar::Type type, PoolKind kind, std::int64_t lanes) {
  PoolFunctions f{};
  if (isa() == Isa::Avx512) f = avx512::poolFunctions(type, kind, lanes);
  if (isa() == Isa::Avx2) f = avx2::poolFunctions(type, kind, lanes);
  return f ? f : base::poolFunctions(type, kind, lanes);
}

LastPooling lastPooling(poplar::Type type, PoolKind kind) {
  switch (isa()) {
    case Isa::Avx512: return avx512::lastPooling(type, kind);
    case Isa::Avx2: return avx2::lastPooling(type, kind);
    default: return base::lastPooling(type, kind);
  }
}

bool PoolKernel::accepts(std::size_t, const Layout& layout) const {
  if (layout.channelBlock == Layout::kChannelsLast)
    return lastPooling(layout.type, kind_) != nullptr;
  return layout.dense() || layout.channelBlock == 8 || layout.channelBlock == 16;
}

std::unique_ptr<Runner> PoolKernel::prepare(const std::vector<Layout>& operands,
                                            const Setting& setting) const {
  // `in` and `out` are the layouts of the pooling's input and output. For gradients they are taken
  // from operands of the same shape; a gradient has the shape of what it is the gradient of.
  const bool grad = isGrad(kind_), max = isMax(kind_);
  const Layout& in = operands[grad && !max ? 1 : 0];
  const Layout& out = operands[grad ? (max ? 1 : 0) : 1];
  PoolPlan plan;
  plan.kind = kind_;
  plan.rounding = setting.rounding;
  plan.transpose = transposeMatrix(in.type.sizeInBytes());
  plan.axes = axes_;
  for (PoolAxis& axis : plan.axes) findInside(axis);
  plan.planes = in.shape[0] * in.shape[1];
  plan.channels = in.shape[1];
  plan.in = plan.inGrad = PoolOperand(in);
  plan.out = PoolOperand(out);
  if (grad && max) plan.inGrad = PoolOperand(operands[2]);
  plan.lanes = std::max(plan.in.block, plan.out.block) == 8 ? 8 : 16;
  plan.rows = plan.window = 1;
  for (std::size_t d = 0; d + 1 < axes_.size(); ++d) {
    plan.rows *= axes_[d].out;
    plan.window *= axes_[d].kernel;
  }
  if (plan.in.isLast || plan.out.isLast) {
    if (turnsRows(plan, in.type)) plan.turn = transposeMatrix(in.type.sizeInBytes());
    return std::make_unique<LastPoolRunner>(std::move(plan), lastPooling(in.type, kind_),
                                            in.type.sizeInBytes(), setting.threads);
  }
  plan.isPlain = isPooledByPlane(plan, in.type);
  const PoolAxis& first = axes_.front();
  const std::int64_t step = first.in == 0
                                ? 1
                                : plan.in.positions / first.in * first.stride * plan.lanes *
                                      static_cast<std::int64_t>(in.type.sizeInBytes());
  plan.band = std::clamp<std::int64_t>(kBandBytes / std::max<std::int64_t>(step, 1), 1,
                                       std::max<std::int64_t>(first.out, 1));
  if (plan.isPlain && axes_.size() == 1) plan.band = first.out;  // A row is pooled as a whole.
  const PoolFunctions functions = poolFunctions(in.type, kind_, plan.lanes);
  return std::make_unique<PoolRunner>(std::move(plan), functions, setting.threads);
}

void PoolKernel::check(const std::vector<OperandInfo>& operands) const {
  const bool grad = isGrad(kind_), max = isMax(kind_);
  requireOperands(operands, grad && max ? 3 : 2);
  const auto& in = operands[grad && !max ? 1 : 0];
  const auto& out = operands[grad ? (max ? 1 : 0) : 1];
  require(supports(kind_, in.type), "pooling does not take this element type");
  require(
      !axes_.empty() && in.shape.size() == axes_.size() + 2 && out.shape.size() == in.shape.size(),
      "its axes are not the operands' spatial dimensions");
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    const auto& axis = axes_[d];
    require(axis.in == in.shape[d + 2] && axis.out == out.shape[d + 2],
            "an axis is longer or shorter than the operands'");
    for (const auto size : {axis.kernel, axis.stride, axis.dilation})
      require(size >= 1 && size < kMost, "a window's size or step is less than 1");
    require(axis.pad > -kMost && axis.pad < kMost, "padding is out of range");
    require(!isAverage(kind_) || static_cast<std::int64_t>(axis.counts.size()) == axis.out,
            "the elements of windows are not counted");
  }
  require(in.shape[0] == out.shape[0] && in.shape[1] == out.shape[1],
          "input and output differ in batch or channels");
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool ofInput = &operands[i] == &in || i == 2;
    requireOperand(operands[i], i + 1 == operands.size() ? Access::Write : Access::Read, in.type,
                   ofInput ? in.shape : out.shape);
  }
}

Work PoolKernel::work(const std::vector<Layout>& operands) const {
  const Layout& result = operands.back();
  const bool grad = isGrad(kind_), max = isMax(kind_);
  const std::uint64_t out = operands[grad && max ? 1 : grad ? 0 : 1].elements();
  PoolingWork whole{operands[0].type};
  whole.batch = static_cast<std::uint64_t>(result.shape[0]);
  whole.channels = static_cast<std::uint64_t>(result.shape[1]);
  whole.gradient = grad;
  std::uint64_t window = 1;
  for (const PoolAxis& a : axes_) {
    window *= a.kernel;
    whole.field.push_back({a.in, a.out, a.kernel, a.stride, a.dilation, 1, a.pad});
  }
  const std::uint64_t flops = out * (window + isAverage(kind_));
  if (poolsWholeField() && !(grad && max)) {
    const auto in = whole.batch * whole.channels * window;
    if (grad) return {"poplar::Copy", CopyWork{whole.type, in * whole.type.sizeInBytes()}, flops};
    const auto op = max ? popops::Operation::MAX : popops::Operation::ADD;
    return {"popops::Reduce", ReduceWork{whole.type, in, out, window, op}, flops};
  }
  const char* vertex = !max   ? "popnn::SumPooling"
                       : grad ? "popnn::MaxPoolingGradient"
                              : "popnn::MaxPooling";
  return {vertex, std::move(whole), flops};
}

bool PoolKernel::poolsWholeField() const {
  return std::all_of(axes_.begin(), axes_.end(), [](const PoolAxis& a) {
    return a.kernel == a.in && a.out == 1 && a.pad == 0 && a.dilation == 1;
  });
}

}  // namespace popir
