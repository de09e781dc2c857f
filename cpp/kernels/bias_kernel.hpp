// The bulk vertex kernel that adds a bias to each channel.
#ifndef popir_kernels_bias_kernel_hpp
#define popir_kernels_bias_kernel_hpp

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

/// Operands activations [n, channels, field...], added to in place, and biases [channels], of
/// FLOAT. The bits are those of popops::addInPlace, but activations may be blocked, so that the
/// layout of a convolution lasts.
class BiasKernel final : public Kernel {
 public:
  const char* name() const override { return "bias"; }
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  void check(const std::vector<OperandInfo>& operands) const override;
  Work work(const std::vector<Layout>& operands) const override;
  /// What it is made of, in the order of its constructor; for saved programs.
  auto state() const { return std::tie(); }
};

}  // namespace popir

#endif
