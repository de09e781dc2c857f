// The kernel behind popnn::calcLoss.
#ifndef popir_kernels_loss_class_loss_hpp
#define popir_kernels_loss_class_loss_hpp

#include <cstdint>
#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

enum class ClassLoss : std::uint8_t { SumSquared, CrossEntropy };
constexpr ClassLoss lastOf(ClassLoss) { return ClassLoss::CrossEntropy; }

/// Operands, all dense: outputs [samples, classes], labels [samples], loss [samples], deltas
/// [samples, classes]. If `scaled`, two scales of one element follow: deltas are multiplied by the
/// first, and outputs are divided by the second. SumSquared ignores the scales.
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

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(type_, scaled_); }

 private:
  ClassLoss type_;
  bool scaled_;
};

}  // namespace popir

#endif
