// The kernel behind the losses of classifiers and their gradients.
#ifndef popir_kernels_loss_nll_hpp
#define popir_kernels_loss_nll_hpp

#include <popir/NllParams.hpp>

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

enum class NllKind {
  Loss,         ///< operands p, labels, loss; here as below the classes' weights may stand before
                ///< the last operand, which is the one written
  Grad,         ///< gradient of the loss, p, labels, gradient of p
  SoftmaxGrad,  ///< gradient of the loss, p, labels, gradient of what p is the softmax of
};
constexpr NllKind lastOf(NllKind) { return NllKind::SoftmaxGrad; }

/// As popir/Nll.hpp says, of dense operands; p is [samples, classes].
class NllKernel : public Kernel {
 public:
  NllKernel(NllKind kind, const NllParams& params) : kind_(kind), params_(params) {}

  const char* name() const override { return kind_ == NllKind::Loss ? "nll" : "nll gradient"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override {
    return writesHalf ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popnn::Nll", "popnn::NllGrad" or "popnn::NllSoftmaxGrad".
  Work work(const std::vector<Layout>& operands) const override;

  /// What it is made of, in the order of its constructor; for saved programs.
  auto state() const { return std::tie(kind_, params_); }

 private:
  NllKind kind_;
  NllParams params_;
};

}  // namespace popir

#endif
