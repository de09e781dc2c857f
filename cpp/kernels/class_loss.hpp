// The kernel behind popnn::calcLoss.
#ifndef popir_kernels_class_loss_hpp
#define popir_kernels_class_loss_hpp

#include <popnn/Loss.hpp>

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

/// Operands, dense: outputs [samples, classes], labels [samples], loss [samples], deltas [samples,
/// classes], and, if `scaled`, one element each that deltas are multiplied and outputs divided by.
class ClassLossKernel : public Kernel {
 public:
  ClassLossKernel(popnn::LossType type, bool scaled) : type_(type), scaled_(scaled) {}

  const char* name() const override { return "class loss"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override {
    return writesHalf ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popnn::LossSumSquaredTransform" or "popnn::LossCrossEntropyTransform", {samples, classes}.
  Work work(const std::vector<Layout>& operands) const override;

  /// What it is made of, in the order of its constructor; for saved programs.
  auto state() const { return std::tie(type_, scaled_); }

 private:
  popnn::LossType type_;
  bool scaled_;
};

}  // namespace popir

#endif
