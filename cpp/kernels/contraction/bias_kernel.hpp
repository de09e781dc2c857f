// The bulk vertex kernel that adds a bias to each channel.
#ifndef popir_kernels_contraction_bias_kernel_hpp
#define popir_kernels_contraction_bias_kernel_hpp

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

/// Operands: activations [n, channels, field...], updated in place, and biases [channels], both
/// FLOAT. The result has the same bits as that of popops::addInPlace. Here the activations may also
/// be in channel blocks, so they keep the layout of the convolution that made them.
class BiasKernel final : public Kernel {
 public:
  const char* name() const override { return "bias"; }
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  void check(const std::vector<OperandInfo>& operands) const override;
  Work work(const std::vector<Layout>& operands) const override;
  std::shared_ptr<const ElementWiseForm> elementWise() const override;
  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(); }
};

}  // namespace popir

#endif
