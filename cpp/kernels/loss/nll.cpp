#include "kernels/loss/nll.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/check.hpp"
#include "kernels/half.hpp"
#include "kernels/loss/labels.hpp"
#include "kernels/parallel.hpp"
#include "kernels/reduction/reduce_functions.hpp"
#include "kernels/saved_kernel.hpp"
#include "kernels/vector/ops.hpp"

namespace popir {
namespace {

const SavedKernel<NllKernel> kSavedNll("nll");

constexpr std::int64_t kHalves = 512;  // elements converted at a time

/// Elements T, computed in C: float for the 16-bit floats, else T.
template <class T, class C>
class NllRunner : public Runner {
 public:
  NllRunner(NllKind kind, const NllParams& params, const std::vector<Layout>& operands,
            const Setting& setting)
      : kind_(kind), params_(params), threads_(setting.threads), rounding_(setting.rounding) {
    const Layout& p = operands[kind == NllKind::Loss ? 0 : 1];
    const Layout& labels = operands[kind == NllKind::Loss ? 1 : 2];
    samples_ = p.shape[0];
    classes_ = p.shape[1];
    weighted_ = operands.size() == (kind == NllKind::Loss ? 4 : 5);
    labelType_ = labels.type;
    gradType_ = operands[0].type;
  }

  std::size_t scratchBytes() const override {
    return kind_ == NllKind::Loss ? static_cast<std::size_t>(samples_) * sizeof(C) : 0;
  }

  void run(void* const* operands, void* scratch) const override {
    const int last = (kind_ == NllKind::Loss ? 2 : 3) + weighted_;
    const auto* weights = weighted_ ? static_cast<const T*>(operands[last - 1]) : nullptr;
    auto* out = static_cast<T*>(operands[last]);
    if (kind_ == NllKind::Loss)
      forward(static_cast<const T*>(operands[0]), Labels(operands[1], labelType_), weights,
              static_cast<C*>(scratch), out);
    else
      backward(operands[0], static_cast<const T*>(operands[1]), Labels(operands[2], labelType_),
               weights, out);
  }

 private:
  static constexpr bool kHalf = std::is_same_v<T, half>;
  static constexpr C kNan = std::numeric_limits<C>::quiet_NaN();
  // Lower bounds of a probability p before log(p) and 1 / p are computed. They are PopART's.
  static constexpr C kLeastForLog = kHalf ? C(6.104e-5f) : C(1e-7);
  static constexpr C kLeastForInverse = kHalf ? C(6.104e-5f) : C(1e-10);

  static C atLeast(C p, C least) { return p < least ? least : p; }  // NaN stays NaN

  bool ignored(std::int64_t label) const {
    if (!params_.hasIgnoreIndex) return false;
    // 32-bit labels are compared in 32 bits, so that ignoreIndex -1 matches the unsigned label
    // 2^32 - 1.
    return labelType_.sizeInBytes() == 8
               ? label == params_.ignoreIndex
               : static_cast<std::int32_t>(label) == static_cast<std::int32_t>(params_.ignoreIndex);
  }
  bool valid(std::int64_t label) const { return label >= 0 && label < classes_; }

  C weightOf(const T* weights, std::int64_t label) const {
    return weights && valid(label) ? static_cast<C>(weights[label]) : C(1);
  }

  // The divisor of the mean: the number of samples that are not ignored; with class weights, the
  // sum of the weights of their classes. If it is 0 it becomes 1, so that the mean of
  // no samples is 0.
  C count(const Labels& labels, const T* weights) const {
    double n = 0;
    for (std::int64_t i = 0; i < samples_; ++i)
      if (!ignored(labels[i])) n += static_cast<double>(weightOf(weights, labels[i]));
    return n == 0 ? C(1) : static_cast<C>(n);
  }

  void forward(const T* p, const Labels& labels, const T* weights, C* losses, T* out) const {
    parallelFor((samples_ + 63) / 64, threads_, 16 * samples_, [&](std::int64_t task) {
      for (std::int64_t i = task * 64; i < std::min((task + 1) * 64, samples_); ++i) {
        const std::int64_t label = labels[i];
        if (ignored(label)) {
          losses[i] = 0;
        } else if (!valid(label)) {
          losses[i] = kNan;
        } else {
          const C x = static_cast<C>(p[i * classes_ + label]);
          const C loss = params_.inputIsLogProbability ? -x : -std::log(atLeast(x, kLeastForLog));
          losses[i] = weights ? loss * weightOf(weights, label) : loss;
        }
      }
    });
    if (params_.reduction == LossReduction::None) {
      storeEach<C>(out, 1, samples_, rounding_, 0, [&](std::int64_t i) { return losses[i]; });
      return;
    }
    constexpr poplar::Type type(std::is_same_v<C, double> ? poplar::Type::Kind::Double
                                                          : poplar::Type::Kind::Float);
    C sum = 0;
    reduceFunctions(type, popops::Operation::ADD).rows(losses, 1, samples_, samples_, &sum);
    if (params_.reduction == LossReduction::Mean) sum /= count(labels, weights);
    out[0] = rounded<T>(sum, rounding_, 0);
  }

  // The gradient of the loss of sample i. Sum and Mean have a single loss, and so a single
  // gradient.
  C scaleOf(const void* g, std::int64_t i) const {
    const std::int64_t at = params_.reduction == LossReduction::None ? i : 0;
    return gradType_ == poplar::FLOAT ? static_cast<C>(static_cast<const float*>(g)[at])
                                      : static_cast<C>(static_cast<const T*>(g)[at]);
  }

  void backward(const void* g, const T* p, const Labels& labels, const T* weights, T* dx) const {
    const C n = params_.reduction == LossReduction::Mean ? count(labels, weights) : C(1);
    const T nan = rounded<T>(kNan, rounding_, 0);
    parallelFor(samples_, threads_, samples_ * classes_, [&](std::int64_t i) {
      const std::int64_t label = labels[i];
      const T* row = p + i * classes_;
      T* to = dx + i * classes_;
      if (ignored(label)) {
        std::fill_n(to, classes_, T{});
        return;
      }
      if (!valid(label)) {
        std::fill_n(to, classes_, nan);
        return;
      }
      const C scale = scaleOf(g, i) * weightOf(weights, label) / n;
      const C at = static_cast<C>(row[label]);
      if (kind_ == NllKind::SoftmaxGrad) {
        // p - 1. From log(p) by expm1, since exp(log(p)) - 1 would lose digits where p is near 1.
        const C fromOne = params_.inputIsLogProbability ? std::expm1(at) : at - C(1);
        scaledProbabilities(row, scale, to, i * classes_, label, fromOne * scale);
      } else {
        std::fill_n(to, classes_, T{});
        to[label] = rounded<T>(
            params_.inputIsLogProbability ? -scale : -scale / atLeast(at, kLeastForInverse),
            rounding_, i * classes_ + label);
      }
    });
  }

  // to[label] = ofLabel, and to[j] = scale * p[j] for all other classes j. Computes p from its
  // logarithm if the input is log probabilities. `first` is the result number of to[0].
  void scaledProbabilities(const T* p, C scale, T* to, std::int64_t first, std::int64_t label,
                           C ofLabel) const {
    static const VecFn exp =
        vectorOp(VecOp::Exp, std::is_same_v<C, double> ? Lane::F64 : Lane::F32, 0);
    C block[kHalves];
    for (std::int64_t i = 0; i < classes_; i += kHalves) {
      const std::int64_t n = std::min(kHalves, classes_ - i);
      if constexpr (kIsHalf<T>)
        toFloats(p + i, block, n);
      else
        std::copy_n(p + i, n, block);
      const void* sources[] = {block};
      if (params_.inputIsLogProbability) exp(block, sources, static_cast<std::size_t>(n));
      for (std::int64_t j = 0; j < n; ++j) block[j] *= scale;
      if (label >= i && label < i + n) block[label - i] = ofLabel;
      if constexpr (kIsHalf<T>)
        fromFloats(block, to + i, n, rounding_, first + i);
      else
        std::copy_n(block, n, to + i);
    }
  }

  NllKind kind_;
  NllParams params_;
  std::int64_t samples_, classes_;
  bool weighted_;
  poplar::Type labelType_, gradType_;
  unsigned threads_;
  Rounding rounding_;
};

}  // namespace

std::unique_ptr<Runner> NllKernel::prepare(const std::vector<Layout>& operands,
                                           const Setting& setting) const {
  const auto type = operands[kind_ == NllKind::Loss ? 0 : 1].type;
  if (type == poplar::HALF)
    return std::make_unique<NllRunner<half, float>>(kind_, params_, operands, setting);
  if (type == poplar::BFLOAT16)
    return std::make_unique<NllRunner<Bfloat16, float>>(kind_, params_, operands, setting);
  if (type == poplar::DOUBLE)
    return std::make_unique<NllRunner<double, double>>(kind_, params_, operands, setting);
  return std::make_unique<NllRunner<float, float>>(kind_, params_, operands, setting);
}

void NllKernel::check(const std::vector<OperandInfo>& operands) const {
  const bool isLoss = kind_ == NllKind::Loss;
  const std::size_t least = isLoss ? 3 : 4;
  const bool isWeighted = operands.size() == least + 1;
  requireOperands(operands, least + isWeighted);
  const auto& p = operands[isLoss ? 0 : 1];
  const auto& labels = operands[isLoss ? 1 : 2];
  require(isFloatOrHalf(p.type) || p.type == poplar::DOUBLE,
          "probabilities are FLOAT, HALF, BFLOAT16 or DOUBLE");
  require(p.shape.size() == 2, "probabilities are [samples, classes]");
  const std::vector<std::int64_t> samples = {p.shape[0]};
  requireOperand(p, Access::Read, p.type, p.shape);
  require(Labels::supports(labels.type), "labels are integers");
  requireOperand(labels, Access::Read, labels.type, samples);
  if (isWeighted) requireOperand(operands[least - 1], Access::Read, p.type, {p.shape[1]});
  const auto& loss = isLoss ? operands.back() : operands[0];
  require(loss.type == p.type || (!isLoss && loss.type == poplar::FLOAT),
          "the loss has another element type");
  require(elementsOf(loss) == (params_.reduction == LossReduction::None ? samples[0] : 1),
          "the loss has another number of elements");
  requireOperand(loss, isLoss ? Access::Write : Access::Read, loss.type, loss.shape);
  if (!isLoss) requireOperand(operands.back(), Access::Write, p.type, p.shape);
}

Work NllKernel::work(const std::vector<Layout>& operands) const {
  const Layout& p = operands[kind_ == NllKind::Loss ? 0 : 1];
  const auto samples = static_cast<std::uint64_t>(p.shape[0]);
  const auto classes = static_cast<std::uint64_t>(p.shape[1]);
  const char* const vertices[] = {"popnn::Nll", "popnn::NllGrad", "popnn::NllSoftmaxGrad"};
  NllWork work{p.type, samples, classes};
  work.summed = params_.reduction != LossReduction::None;
  work.mean = params_.reduction == LossReduction::Mean;
  work.logs = !params_.inputIsLogProbability;
  work.weighted = operands.size() == (kind_ == NllKind::Loss ? 4 : 5);
  work.ignores = params_.hasIgnoreIndex;
  return {vertices[static_cast<int>(kind_)], work,
          kind_ == NllKind::SoftmaxGrad ? samples * classes : 2 * samples};
}

}  // namespace popir
