#include "kernels/loss/class_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/check.hpp"
#include "kernels/half.hpp"
#include "kernels/loss/labels.hpp"
#include "kernels/parallel.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<ClassLossKernel> kSavedClassLoss("class loss");

template <class T>
class ClassLossRunner : public Runner {
 public:
  ClassLossRunner(ClassLoss type, bool scaled, const std::vector<Layout>& operands,
                  const Setting& setting)
      : type_(type),
        scaled_(scaled),
        samples_(operands[0].shape[0]),
        classes_(operands[0].shape[1]),
        labelType_(operands[1].type),
        threads_(setting.threads),
        rounding_(setting.rounding) {}

  void run(void* const* operands, void*) const override {
    const auto* outputs = static_cast<const T*>(operands[0]);
    const Labels labels(operands[1], labelType_);
    auto* losses = static_cast<T*>(operands[2]);
    auto* deltas = static_cast<T*>(operands[3]);
    float deltasScale = 1, outputsScale = 1;
    if (scaled_) {
      deltasScale = static_cast<float>(*static_cast<const T*>(operands[4]));
      outputsScale = static_cast<float>(*static_cast<const T*>(operands[5]));
    }
    const T nan = rounded<T>(std::numeric_limits<float>::quiet_NaN(), rounding_, 0);
    parallelFor(samples_, threads_, 4 * samples_ * classes_, [&](std::int64_t i) {
      const T* output = outputs + i * classes_;
      T* delta = deltas + i * classes_;
      const std::int64_t label = labels[i];
      if (label < 0 || label >= classes_) {
        losses[i] = label == kMaskedLabel ? T{} : nan;
        std::fill_n(delta, classes_, losses[i]);
        return;
      }
      // Result numbers, for stochastic rounding: first all deltas, then all losses.
      const std::int64_t first = i * classes_;
      losses[i] = rounded<T>(type_ == ClassLoss::SumSquared
                                 ? squared(output, label, delta, first)
                                 : entropy(output, label, delta, first, deltasScale, outputsScale),
                             rounding_, samples_ * classes_ + i);
    });
  }

 private:
  float squared(const T* output, std::int64_t label, T* delta, std::int64_t first) const {
    double sum = 0;
    storeEach<float>(delta, 1, classes_, rounding_, first, [&](std::int64_t j) {
      const float d = static_cast<float>(output[j]) - (j == label ? 1.0f : 0.0f);
      sum += static_cast<double>(d) * d;
      return d;
    });
    return static_cast<float>(0.5 * sum);
  }

  float entropy(const T* output, std::int64_t label, T* delta, std::int64_t first,
                float deltasScale, float outputsScale) const {
    constexpr float least = std::is_same_v<T, half> ? 0x1p-14f : std::numeric_limits<float>::min();
    storeEach<float>(delta, 1, classes_, rounding_, first, [&](std::int64_t j) {
      const float p = static_cast<float>(output[j]) / outputsScale;
      return deltasScale * (p - (j == label ? 1.0f : 0.0f));
    });
    const float p = static_cast<float>(output[label]) / outputsScale;
    return -std::log(p < least ? least : p);
  }

  ClassLoss type_;
  bool scaled_;
  std::int64_t samples_, classes_;
  poplar::Type labelType_;
  unsigned threads_;
  Rounding rounding_;
};

}  // namespace

std::unique_ptr<Runner> ClassLossKernel::prepare(const std::vector<Layout>& operands,
                                                 const Setting& setting) const {
  if (operands[0].type == poplar::HALF)
    return std::make_unique<ClassLossRunner<half>>(type_, scaled_, operands, setting);
  return std::make_unique<ClassLossRunner<float>>(type_, scaled_, operands, setting);
}

void ClassLossKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, scaled_ ? 6 : 4);
  const auto& outputs = operands[0];
  require(outputs.type == poplar::FLOAT || outputs.type == poplar::HALF,
          "outputs are FLOAT or HALF");
  require(outputs.shape.size() == 2, "outputs are [samples, classes]");
  const std::vector<std::int64_t> samples = {outputs.shape[0]};
  requireOperand(outputs, Access::Read, outputs.type, outputs.shape);
  require(Labels::supports(operands[1].type), "labels are integers");
  requireOperand(operands[1], Access::Read, operands[1].type, samples);
  requireOperand(operands[2], Access::Write, outputs.type, samples);
  requireOperand(operands[3], Access::Write, outputs.type, outputs.shape);
  for (std::size_t i = 4; i < operands.size(); ++i) {
    require(elementsOf(operands[i]) == 1, "a scale is one element");
    requireOperand(operands[i], Access::Read, outputs.type, operands[i].shape);
  }
}

Work ClassLossKernel::work(const std::vector<Layout>& operands) const {
  const auto samples = static_cast<std::uint64_t>(operands[0].shape[0]);
  const auto classes = static_cast<std::uint64_t>(operands[0].shape[1]);
  return {type_ == ClassLoss::SumSquared ? "popnn::LossSumSquaredTransform"
                                         : "popnn::LossCrossEntropyTransform",
          RowsWork{operands[0].type, samples, classes}, 3 * samples * classes};
}

}  // namespace popir
