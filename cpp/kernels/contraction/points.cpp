#include "kernels/contraction/points.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "kernels/parallel.hpp"
#include "kernels/vector/isa.hpp"

namespace popir {
namespace contraction {
namespace {

/// Products of fewer columns have half-empty vectors: two of AVX-512. Those of the groups of several
/// images are many, and pay for the call of each. oneDNN has good gradients of few points of whole vectors.
std::int64_t leastPoints(const ConvSpec& s) {
  constexpr std::int64_t kLeast = 32, kLeastOfMany = 96, kFewImages = 4, kLeastOfBlocks = 128,
                         kVector = 16;
  if (s.pass != Pass::Forward && s.groups > 1 && s.groups % kVector == 0) return kLeastOfBlocks;
  return s.groups > 1 && s.in.shape[0] > kFewImages ? kLeastOfMany : kLeast;
}

bool isPlainFloat(const Layout& layout) {
  return layout.type == poplar::FLOAT && layout.channelBlock == Layout::kPlain && layout.dense();
}

/// Of a dimension of one element it is 1, whatever it says.
std::int64_t strideOf(const Layout& layout, std::size_t d) {
  return layout.shape[d] == 1 ? 1 : layout.strides[d];
}

/// But for the number of points.
bool isSinglePoint(const ConvSpec& s) {
  const auto& taps = s.weights.shape;
  // Of few channels in each group oneDNN has better gradients, and on AVX2 all. Of one channel they are the
  // same as forward.
  const bool isOfOne = taps[1] == 1 && taps[2] == 1;
  if (s.groups > 1 && ((s.pass != Pass::Forward && !isOfOne) || isa() != Isa::Avx512)) return false;
  return s.pass != Pass::WeightsGradient && s.postOps.empty() &&
         std::all_of(taps.begin() + 3, taps.end(), [](std::int64_t x) { return x == 1; }) &&
         isAll(s.stride, 1) && isAll(s.inDilation, 1) && isAll(s.padLower, 0) &&
         std::equal(s.in.shape.begin() + 2, s.in.shape.end(), s.out.shape.begin() + 2) &&
         isPlainFloat(s.in) && isPlainFloat(s.out) && s.weights.type == poplar::FLOAT &&
         (strideOf(s.weights, 1) == 1 || strideOf(s.weights, 2) == 1);
}

/// Of an image, of which both sides have the same.
std::int64_t pointsOf(const ConvSpec& s) {
  return std::accumulate(s.out.shape.begin() + 2, s.out.shape.end(), std::int64_t(1),
                         std::multiplies<>());
}

class Points final : public Contraction {
 public:
  Points(const ConvSpec& s, std::int64_t runs, std::unique_ptr<Contraction> products,
         unsigned threads, bool shares)
      : products_(std::move(products)),
        from_(s.pass == Pass::Forward ? 0 : 2),
        runs_(runs),
        images_(s.out.shape[0]),
        channels_(s.out.shape[1]),
        points_(pointsOf(s)),
        steps_{s.in.shape[1] * points_, s.out.shape[1] * points_},
        bias_(s.bias),
        threads_(threads),
        shares_(shares) {}

  std::string describe() const override { return products_->describe() + " of points"; }
  std::size_t workBytes() const override { return shares_ ? 0 : products_->scratchBytes(); }
  void runPacked(void* const* operands, const void* /*packed*/, void* work) const override {
    if (bias_) fill(static_cast<const float*>(operands[3]), static_cast<float*>(operands[2]));
    if (!shares_) return run(operands, 0, runs_, work);
    parallelParts(runs_, 1, threads_, [&](std::int64_t first, std::int64_t last, unsigned) {
      const pool::OwnMemory own(products_->scratchBytes());
      run(operands, first, last, own.data());
    });
  }

 private:
  /// Runs [first, last) of the products.
  void run(void* const* operands, std::int64_t first, std::int64_t last, void* work) const {
    auto* const from = static_cast<float*>(operands[from_]);
    auto* const to = static_cast<float*>(operands[2 - from_]);
    for (std::int64_t i = first; i < last; ++i) {
      void* const turned[] = {operands[1], from + i * steps_[from_ / 2],
                              to + i * steps_[1 - from_ / 2]};
      products_->run(turned, work);
    }
  }

  /// Each channel's bias at all its points, to which the products are added.
  void fill(const float* bias, float* out) const {
    parallelFor(images_ * channels_, threads_, images_ * steps_[1], [&](std::int64_t i) {
      std::fill_n(out + i * points_, points_, bias[i % channels_]);
    });
  }

  std::unique_ptr<Contraction> products_;
  std::size_t from_;   // the operand that is multiplied by the weights
  std::int64_t runs_;  // of the products, one after another
  std::int64_t images_, channels_, points_;
  std::int64_t steps_[2];  // elements of an image of in and of out
  bool bias_;
  unsigned threads_;
  bool shares_;  // threads share the runs, each of which is made for one
};

}  // namespace

bool isOfPoints(const ConvSpec& s) {
  return isSinglePoint(s) && pointsOf(s) >= leastPoints(s) && s.in.elements() > 0 &&
         s.weights.elements() > 0;
}

std::unique_ptr<Contraction> makePoints(const ConvSpec& s, unsigned threads,
                                        const MakeProduct& make) {
  if (!isOfPoints(s)) return nullptr;
  const bool isForward = s.pass == Pass::Forward;
  const Layout &from = isForward ? s.in : s.out, &to = isForward ? s.out : s.in;
  const std::int64_t images = s.in.shape[0];
  MatMulSpec products;
  products.inType = products.outType = poplar::FLOAT;
  products.m = to.shape[1] / s.groups;
  products.n = pointsOf(s);
  products.k = from.shape[1] / s.groups;
  // The images of one group are a batch that shares its weights; the groups of one image are one.
  products.groups = s.groups == 1 ? images : s.groups;
  const std::int64_t runs = s.groups == 1 ? 1 : images;
  products.a = {s.groups == 1 ? 0 : s.weights.strides[0], strideOf(s.weights, isForward ? 1 : 2),
                strideOf(s.weights, isForward ? 2 : 1)};
  products.b = {products.k * products.n, products.n, 1};
  products.c = {products.m * products.n, products.n, 1};
  products.runs = runs;
  products.accumulate = s.bias;
  products.policy = s.policy;
  const bool shares = threads > 1 && runs % threads == 0;
  auto made = make(products, shares ? 1 : threads);
  if (made == nullptr) return nullptr;
  return std::make_unique<Points>(s, runs, std::move(made), threads, shares);
}

}  // namespace contraction
}  // namespace popir
