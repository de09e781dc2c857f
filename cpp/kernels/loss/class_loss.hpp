// The kernel behind popnn::calcLoss.
#ifndef popir_kernels_loss_class_loss_hpp
#define popir_kernels_loss_class_loss_hpp

#include <cstdint>
#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

enum class ClassLoss : std::uint8_t { SumSquared, CrossEntropy };
constexpr ClassLoss lastOf(ClassLoss) { return ClassLoss::CrossEntropy; }

/// Operands, dense: outputs [samples, classes], labels [samples], loss [samples], deltas [samples,
/// classes], and, if `scaled`, one element each that deltas are multiplied and outputs divided by.
class ClassLossKernel : public Kernel {
 public:
  ClassLossKernel(ClassLoss type, bool scaled) : type_(type), scaled_(scaled) {}

  const char* name() const override { return "class loss"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override {
    return writesHalf ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popnn::LossSumSquaredTransform" or "popnn::LossCrossEntropyTransform".
  Work work(const std::vector<Layout>& operands) const override;

  /// What it is made of, in the order of its constructor; for saved programs.
  auto state() const { return std::tie(type_, scaled_); }

 private:
  ClassLoss type_;
  bool scaled_;
};

}  // namespace popir

#endif
