#include "kernels/reduction/scan.hpp"

#include <algorithm>
#include <type_traits>

#include "kernels/check.hpp"
#include "kernels/half.hpp"
#include "kernels/parallel.hpp"
#include "kernels/reduction/scan_lines.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<ScanKernel> kSavedScan("scan");

// Neighbouring lines that are scanned together where they lie side by side.
constexpr std::int64_t kScanLanes = 1024;
// Elements of a line of neighbours that are converted at a time, and such lines that are scanned in
// turns: each sum waits for the one before it, so a core has work of several lines at once.
constexpr std::int64_t kScanBlock = 256;
constexpr int kScanTurns = 4;

struct LineScan {
  ScanKind kind;
  bool exclusive, reverse;
  std::int64_t outer, n, inner;
  Rounding rounding;

  /// The element of a line that is scanned as number i.
  std::int64_t at(std::int64_t i) const { return reverse ? n - 1 - i : i; }
};

template <class T, class C>
void loadLine(const T* from, C* to, std::int64_t n) {
  if constexpr (kIsHalf<T>)
    toFloats(from, to, n);
  else
    for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<C>(from[i]);
}

template <class T, class C>
void storeLine(const C* from, T* to, std::int64_t n, const Rounding& rounding, std::int64_t first) {
  if constexpr (kIsHalf<T>)
    fromFloats(from, to, n, rounding, first);
  else
    for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<T>(from[i]);
}

/// Elements T, computed with as C.
template <class T, class C>
class ScanRunner : public Runner {
 public:
  ScanRunner(const LineScan& scan, unsigned threads)
      : scan_(scan),
        threads_(threads),
        lanes_(std::clamp<std::int64_t>(scan.inner, 1,
                                        scan.kind == ScanKind::ProductGradient ? 16 : kScanLanes)),
        blocks_((scan.inner + lanes_ - 1) / lanes_),
        isInTurns_(scan.inner == 1 && scan.kind != ScanKind::ProductGradient) {
    // The products before each element of the lines of a task.
    each_ = scan.kind == ScanKind::ProductGradient ? sizeof(C) * scan.n * lanes_ : 0;
    each_ = (each_ + 63) / 64 * 64;
  }

  std::size_t scratchBytes() const override { return each_ * threads_; }

  void run(void* const* operands, void* scratch) const override {
    const LineScan& s = scan_;
    const auto* in = static_cast<const T*>(operands[0]);
    if (isInTurns_) {
      auto* out = static_cast<T*>(operands[1]);
      parallelFor((s.outer + kScanTurns - 1) / kScanTurns, threads_, s.outer * s.n,
                  [&](std::int64_t task, unsigned) {
                    const std::int64_t first = task * kScanTurns;
                    if (first + kScanTurns <= s.outer)
                      inTurns<kScanTurns>(in, out, first * s.n);
                    else
                      for (std::int64_t l = first; l < s.outer; ++l) inTurns<1>(in, out, l * s.n);
                  });
      return;
    }
    parallelFor(s.outer * blocks_, threads_, s.outer * s.n * s.inner,
                [&](std::int64_t task, unsigned thread) {
                  const std::int64_t lane = task % blocks_ * lanes_;
                  const std::int64_t first = task / blocks_ * s.n * s.inner + lane;
                  const std::int64_t m = std::min(lanes_, s.inner - lane);
                  if (s.kind == ScanKind::ProductGradient) {
                    auto* before =
                        reinterpret_cast<C*>(static_cast<char*>(scratch) + each_ * thread);
                    gradient(in, static_cast<const T*>(operands[1]), static_cast<T*>(operands[2]),
                             first, m, before);
                  } else {
                    lines(in, static_cast<T*>(operands[1]), first, m);
                  }
                });
  }

 private:
  C neutral() const { return scan_.kind == ScanKind::Sum ? C(0) : C(1); }
  C joined(C a, C b) const { return scan_.kind == ScanKind::Sum ? C(a + b) : C(a * b); }

  /// m lines side by side.
  void lines(const T* in, T* out, std::int64_t first, std::int64_t m) const {
    const LineScan& s = scan_;
    C sum[kScanLanes];
    if constexpr (std::is_same_v<T, float>) {
      if (s.kind == ScanKind::Sum) {
        float pairs[2 * kScanLanes] = {};
        allSteps(scanPairs(), in, out, first, m, pairs);
        // In double where a sum was not finite: it may be, there.
        if (std::none_of(pairs + m, pairs + 2 * m, [](float x) { return x != x; })) return;
      }
    }
    std::fill_n(sum, m, neutral());
    if constexpr (!kIsHalf<T>) return allSteps(scanLines<T>(s.kind), in, out, first, m, sum);
    C x[kScanLanes];
    for (std::int64_t i = 0; i < s.n; ++i) {
      const std::int64_t here = first + s.at(i) * s.inner;
      loadLine(in + here, x, m);
      if (s.exclusive) storeLine(sum, out + here, m, s.rounding, here);
      for (std::int64_t j = 0; j < m; ++j) sum[j] = joined(sum[j], x[j]);
      if (!s.exclusive) storeLine(sum, out + here, m, s.rounding, here);
    }
  }

  void allSteps(ScanLines step, const T* in, T* out, std::int64_t first, std::int64_t m,
                void* known) const {
    const LineScan& s = scan_;
    const std::int64_t stride = s.reverse ? -s.inner : s.inner;
    for (std::int64_t i = 0; i < s.n;) {
      const std::int64_t here = first + s.at(i) * s.inner;
      const std::int64_t rows = i + kScanRows <= s.n ? kScanRows : 1;
      step({in + here, out + here, known, m, rows, stride, s.exclusive});
      i += rows;
    }
  }

  /// K lines one after the other, whose elements are neighbours.
  template <int K>
  void inTurns(const T* in, T* out, std::int64_t first) const {
    const LineScan& s = scan_;
    C x[K][kScanBlock], sum[K];
    std::fill_n(sum, K, neutral());
    for (std::int64_t begin = 0; begin < s.n; begin += kScanBlock) {
      const std::int64_t count = std::min(kScanBlock, s.n - begin);
      const std::int64_t here = first + (s.reverse ? s.n - begin - count : begin);
      for (int k = 0; k < K; ++k) loadLine(in + here + k * s.n, x[k], count);
      for (std::int64_t i = 0; i < count; ++i)
        for (int k = 0; k < K; ++k) {
          C& each = x[k][s.reverse ? count - 1 - i : i];
          const C next = joined(sum[k], each);
          each = s.exclusive ? sum[k] : next;
          sum[k] = next;
        }
      for (int k = 0; k < K; ++k)
        storeLine(x[k], out + here + k * s.n, count, s.rounding, here + k * s.n);
    }
  }

  /// Of y[j] = x[0] ... x[j]: dx[i] = p[i] t[i], with the product p[i] of what is before element i,
  /// and t[i] = g[i] + x[i + 1] t[i + 1]. Of y[j] = x[0] ... x[j - 1], g[i + 1] stands there in
  /// place of g[i].
  void gradient(const T* in, const T* g, T* out, std::int64_t first, std::int64_t m,
                C* before) const {
    const LineScan& s = scan_;
    C x[kScanLanes], slope[kScanLanes], t[kScanLanes], result[kScanLanes];
    std::fill_n(t, m, C(1));
    for (std::int64_t i = 0; i < s.n; ++i) {
      std::copy_n(t, m, before + i * m);
      loadLine(in + first + s.at(i) * s.inner, x, m);
      for (std::int64_t j = 0; j < m; ++j) t[j] *= x[j];
    }
    std::fill_n(t, m, C(0));
    for (std::int64_t i = s.n; i-- > 0;) {
      const std::int64_t here = first + s.at(i) * s.inner;
      loadLine(g + here, slope, m);
      loadLine(in + here, x, m);
      for (std::int64_t j = 0; j < m; ++j) {
        if (!s.exclusive) t[j] += slope[j];
        result[j] = before[i * m + j] * t[j];
        t[j] *= x[j];
        if (s.exclusive) t[j] += slope[j];
      }
      storeLine(result, out + here, m, s.rounding, here);
    }
  }

  LineScan scan_;
  unsigned threads_;
  std::int64_t lanes_, blocks_;
  bool isInTurns_;
  std::size_t each_;
};

}  // namespace

bool ScanKernel::supports(ScanKind kind, poplar::Type type) {
  if (isFloatOrHalf(type) || type == poplar::DOUBLE) return true;
  return kind != ScanKind::ProductGradient &&
         (type == poplar::INT || type == poplar::UNSIGNED_INT || type == poplar::LONGLONG ||
          type == poplar::UNSIGNED_LONGLONG);
}

std::unique_ptr<Runner> ScanKernel::prepare(const std::vector<Layout>& operands,
                                            const Setting& setting) const {
  using Kind = poplar::Type::Kind;
  const auto& shape = operands[0].shape;
  const LineScan scan{kind_, exclusive_, reverse_, shape[0], shape[1], shape[2], setting.rounding};
  const auto make = [&](auto t, auto c) -> std::unique_ptr<Runner> {
    return std::make_unique<ScanRunner<decltype(t), decltype(c)>>(scan, setting.threads);
  };
  switch (operands[0].type.kind()) {
    case Kind::Half: return make(half(), float());
    case Kind::Bfloat16: return make(Bfloat16(), float());
    case Kind::Double: return make(double(), double());
    case Kind::Int:
    case Kind::UnsignedInt: return make(std::uint32_t(), std::uint32_t());
    case Kind::Longlong:
    case Kind::UnsignedLonglong: return make(std::uint64_t(), std::uint64_t());
    default: return make(float(), double());
  }
}

void ScanKernel::check(const std::vector<OperandInfo>& operands) const {
  const std::size_t count = kind_ == ScanKind::ProductGradient ? 3 : 2;
  requireOperands(operands, count);
  const auto& in = operands[0];
  require(supports(kind_, in.type) && in.shape.size() == 3, "what is scanned has no lines");
  for (std::size_t i = 0; i < count; ++i)
    requireOperand(operands[i], i + 1 == count ? Access::Write : Access::Read, in.type, in.shape);
}

Work ScanKernel::work(const std::vector<Layout>& operands) const {
  const auto& shape = operands[0].shape;
  const auto lines = static_cast<std::uint64_t>(shape[0] * shape[2]);
  const auto n = static_cast<std::uint64_t>(shape[1]);
  const bool gradient = kind_ == ScanKind::ProductGradient;
  return {gradient ? "popops::ScanProductGradient" : "popops::Scan",
          RowsWork{operands[0].type, lines, n}, lines * n * (gradient ? 4 : 1)};
}

}  // namespace popir
