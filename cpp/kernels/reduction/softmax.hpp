// The kernel of softmax, log-softmax and their gradients.
#ifndef popir_kernels_reduction_softmax_hpp
#define popir_kernels_reduction_softmax_hpp

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

enum class SoftmaxKind {
  Softmax,         ///< operands x, y; the last one is written
  LogSoftmax,      ///< x, y
  SoftmaxGrad,     ///< y, gradient of y, gradient of x
  LogSoftmaxGrad,  ///< y, gradient of y, gradient of x
};
constexpr SoftmaxKind lastOf(SoftmaxKind) { return SoftmaxKind::LogSoftmaxGrad; }

/// Acts on the last dimension of dense operands of equal shape and type: FLOAT, HALF, BFLOAT16 or
/// DOUBLE. The output may be the same memory as an input.
class SoftmaxKernel : public Kernel {
 public:
  /// `scale` multiplies the result. Only for SoftmaxKind::Softmax.
  explicit SoftmaxKernel(SoftmaxKind kind, float scale = 1.0f) : kind_(kind), scale_(scale) {}

  const char* name() const override { return "softmax"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override {
    return writesHalf ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  Rows rows(const std::vector<OperandInfo>& operands) const override {
    return {operands[0].shape.size() - 1};
  }
  /// "popnn::Softmax", "popnn::LogSoftmax", "popnn::SoftmaxGrad" or "popnn::LogSoftmaxGrad".
  Work work(const std::vector<Layout>& operands) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(kind_, scale_); }

 private:
  SoftmaxKind kind_;
  float scale_;
};

}  // namespace popir

#endif
