// The kernel behind softmax, its logarithm, and their gradients.
#ifndef popir_kernels_softmax_hpp
#define popir_kernels_softmax_hpp

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

enum class SoftmaxKind {
  Softmax,         ///< operands x, y
  LogSoftmax,      ///< x, y
  SoftmaxGrad,     ///< y, gradient of y, gradient of x
  LogSoftmaxGrad,  ///< y, gradient of y, gradient of x
};

/// Over the last dimension of dense operands of one shape and type: FLOAT, HALF or DOUBLE. The
/// output may be one of the inputs.
class SoftmaxKernel : public Kernel {
 public:
  /// Softmax alone is multiplied by `scale`.
  explicit SoftmaxKernel(SoftmaxKind kind, float scale = 1.0f) : kind_(kind), scale_(scale) {}

  const char* name() const override { return "softmax"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override {
    return writesHalf ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popnn::Softmax", "popnn::LogSoftmax", "popnn::SoftmaxGrad" or "popnn::LogSoftmaxGrad", {rows,
  /// elements of a row}.
  Work work(const std::vector<Layout>& operands) const override;

  /// What it is made of, in the order of its constructor; for saved programs.
  auto state() const { return std::tie(kind_, scale_); }

 private:
  SoftmaxKind kind_;
  float scale_;
};

}  // namespace popir

#endif
