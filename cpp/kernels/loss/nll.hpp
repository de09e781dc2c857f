// The kernel of the negative log likelihood loss and of its gradients.
#ifndef popir_kernels_loss_nll_hpp
#define popir_kernels_loss_nll_hpp

#include <popir/NllParams.hpp>

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

/// The operands of each kind. The last one is written. Class weights, if any, come just before it.
enum class NllKind {
  Loss,         ///< p, labels, loss
  Grad,         ///< gradient of the loss, p, labels, gradient of p
  SoftmaxGrad,  ///< gradient of the loss, p, labels, gradient of x, where p is the softmax of x
};
constexpr NllKind lastOf(NllKind) { return NllKind::SoftmaxGrad; }

/// Computes what popir/Nll.hpp says. All operands are dense; p is [samples, classes].
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

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(kind_, params_); }

 private:
  NllKind kind_;
  NllParams params_;
};

}  // namespace popir

#endif
