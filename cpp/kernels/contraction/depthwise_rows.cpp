#include "kernels/contraction/depthwise_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include "kernels/contraction/conv_times.hpp"
#include "kernels/contraction/planes.hpp"
#include "kernels/contraction/rows_plan.hpp"
#include "kernels/parallel.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace contraction {
namespace {

/// Parts of the rows of each image, so that threads have as many images, or as many rows. The rows of a part
/// are those that a thread has of all channels, as of what other steps divide by points.
std::int64_t bandsOf(const Plan& p, unsigned threads) {
  return p.images % threads == 0 ? 1 : std::min<std::int64_t>(threads, p.out[0]);
}

/// The post-ops that sums of rows are finished with: a bias, and a Relu.
struct Finish {
  bool can = true;
  std::size_t bias = 0;  // its operand; 0 if there is none
  bool relu = false;

  explicit Finish(const ConvSpec& s) : bias(s.bias ? kBias : 0) {
    for (const PostOp& op : s.postOps) {
      if (op.kind == PostOp::Kind::Relu && !relu)
        relu = true;
      else if (op.kind == PostOp::Kind::Add && op.extent == PostOp::Extent::Channel && !relu &&
               bias == 0)
        bias = op.operand;
      else
        can = false;
    }
  }
  static constexpr std::size_t kBias = 3;
};

class DepthwiseRows final : public Contraction {
 public:
  DepthwiseRows(const ConvSpec& spec, unsigned threads)
      : p_(spec),
        filter_(planesRoutines()->filter),
        finish_(spec),
        threads_(threads),
        from_(spec.pass == Pass::Forward ? 0 : 2),
        bands_(bandsOf(p_, threads)) {}

  std::string describe() const override { return std::string("depthwise rows ") + name(isa()); }
  /// For each group its taps, and a number that is 0 if they are finite, else NaN.
  std::size_t packedBytes() const override {
    return sizeof(float) * static_cast<std::size_t>(p_.groups * (p_.taps() + 1));
  }
  void pack(const void* weights, void* packed) const override {
    auto* to = static_cast<float*>(packed);
    for (std::int64_t g = 0; g < p_.groups; ++g) {
      const float* const from = static_cast<const float*>(weights) + p_.first + g * p_.group;
      float differences = 0;  // of each weight from itself
      for (std::int64_t y = 0; y < p_.kernel[0]; ++y)
        for (std::int64_t x = 0; x < p_.kernel[1]; ++x, ++to) {
          *to = from[y * p_.tap[0] + x * p_.tap[1]];
          differences += *to - *to;
        }
      *to++ = differences;
    }
  }

  void runPacked(void* const* operands, const void* packed, void* /*work*/) const override {
    const auto* const in = static_cast<const float*>(operands[from_]);
    auto* const out = static_cast<float*>(operands[2 - from_]);
    const auto* const bias =
        finish_.bias > 0 ? static_cast<const float*>(operands[finish_.bias]) : nullptr;
    const auto* const taps = static_cast<const float*>(packed);
    parallelParts(p_.images * bands_ * p_.groups, 1, threads_,
                  [&](std::int64_t first, std::int64_t last, unsigned) {
                    const pool::OwnArray<float> zeros(static_cast<std::size_t>(p_.in[1]));
                    std::fill_n(zeros.begin(), p_.in[1], 0.0f);
                    for (std::int64_t i = first; i < last; ++i) {
                      const std::int64_t group = i % p_.groups, band = i / p_.groups % bands_,
                                         image = i / p_.groups / bands_;
                      run(group, image, p_.out[0] * band / bands_, p_.out[0] * (band + 1) / bands_,
                          in, taps, bias, out, zeros.begin());
                    }
                  });
  }

 private:
  void run(std::int64_t group, std::int64_t image, std::int64_t row, std::int64_t end,
           const float* in, const float* packed, const float* bias, float* out,
           const float* zeros) const {
    planes::Filter f;
    f.in = in + image * p_.from.image + group * p_.from.channel;
    f.inRow = p_.from.row;
    f.height = p_.in[0];
    f.width = p_.in[1];
    f.out = out + image * p_.to.image + group * p_.to.channel;
    f.outRow = p_.to.row;
    f.outWidth = p_.out[1];
    f.row = row;
    f.rows = end - row;
    f.zeros = zeros;
    f.taps = packed + group * (p_.taps() + 1);
    for (std::size_t d = 0; d < 2; ++d) {
      f.kernel[d] = p_.kernel[d];
      f.stride[d] = p_.stride[d];
      f.dilation[d] = p_.dilation[d];
      f.pad[d] = p_.pad[d];
    }
    f.bias = bias == nullptr ? 0.0f : bias[group];
    f.relu = finish_.relu;
    f.taps[p_.taps()] == 0.0f ? filter_(f) : sumTaps(f);
  }

  /// Tap by tap: none meets the padding, of whose zeros an infinite one would make NaN.
  static void sumTaps(const planes::Filter& f) {
    for (std::int64_t y = f.row; y < f.row + f.rows; ++y)
      for (std::int64_t x = 0; x < f.outWidth; ++x) {
        float sum = 0;
        for (std::int64_t i = 0; i < f.kernel[0]; ++i)
          for (std::int64_t j = 0; j < f.kernel[1]; ++j) {
            const std::int64_t row = y * f.stride[0] + i * f.dilation[0] - f.pad[0],
                               column = x * f.stride[1] + j * f.dilation[1] - f.pad[1];
            if (row >= 0 && row < f.height && column >= 0 && column < f.width)
              sum += f.taps[i * f.kernel[1] + j] * f.in[row * f.inRow + column];
          }
        sum += f.bias;
        f.out[y * f.outRow + x] = f.relu && sum < 0 ? 0.0f : sum;
      }
  }

  Plan p_;
  void (*filter_)(const planes::Filter&);
  Finish finish_;
  unsigned threads_;
  std::size_t from_;  // the operand that is read beside the weights
  std::int64_t bands_;
};

bool canBeRows(const ConvSpec& s) {
  constexpr std::int64_t kMostStride = 2;
  return planesRoutines() != nullptr && isForRows(s) && Finish(s).can && s.weights.shape[1] == 1 &&
         s.weights.shape[2] == 1 && s.weights.shape.back() <= planes::kMostTapsOfFilter &&
         s.stride.back() <= kMostStride;
}

}  // namespace

std::unique_ptr<Contraction> makeDepthwiseRows(const ConvSpec& s, unsigned threads) {
  return canBeRows(s) ? std::make_unique<DepthwiseRows>(s, threads) : nullptr;
}

double depthwiseRowsTime(const ConvSpec& s, unsigned threads) {
  if (!canBeRows(s)) return std::numeric_limits<double>::infinity();
  // Nanoseconds of Zen 5 (docs/contractions.md). A column is a vector of all rows of an item, and a block
  // of it four rows.
  constexpr double kStartOfThreads = 350, kColumn = 16.4, kBlock = 8.1, kBlockOfHalfUnits = 2.8,
                   kCycle = 0.191, kSharedChannel = 16, kFar = 0.1, kCache = 8 << 20;
  constexpr std::int64_t kVector = 16, kRows = 4;
  const Plan p(s);
  const auto number = [](std::int64_t x) { return static_cast<double>(x); };
  const std::int64_t bands = bandsOf(p, threads), taps = p.taps(),
                     vectors = p.stride[1];  // that a tap reads
  const double items = number(dividedUp(p.images * bands * p.groups, threads));
  const double columns = number(dividedUp(p.out[1], kVector)),
               blocks = number(dividedUp(dividedUp(p.out[0], bands), kRows));
  const std::int64_t loads = planes::sharesLines(p.kernel, p.stride, p.dilation)
                                 ? ((kRows - 1) * p.stride[0] + p.kernel[0]) * p.kernel[1] * vectors
                                 : kRows * taps * vectors + taps;
  // Half units multiply one vector in a cycle, and load one that crosses a line of the cache in more.
  constexpr double kLoadOfHalfUnits = 1.25;
  const double cycles = hasHalfUnits()
                            ? std::max(number(kRows * taps), kLoadOfHalfUnits * number(loads))
                            : std::max(number(kRows * taps) / 2, number(loads));
  const double block = hasHalfUnits() ? kBlockOfHalfUnits : kBlock;
  const double all = number(s.in.elements() + s.out.elements());
  const double far = all * sizeof(float) > kCache ? kFar * all / threads : 0;
  const auto [multiplication, others] = pace();
  return others * ((threads > 1 ? kStartOfThreads : 0) +
                   (bands > 1 ? kSharedChannel * number(p.groups) : 0) +
                   items * columns * (kColumn + blocks * block) + far) +
         multiplication * items * columns * blocks * kCycle * cycles;
}

}  // namespace contraction
}  // namespace popir
