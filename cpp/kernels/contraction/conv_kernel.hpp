// The bulk vertex kernel of convolutions and their gradients.
#ifndef popir_kernels_contraction_conv_kernel_hpp
#define popir_kernels_contraction_conv_kernel_hpp

#include <tuple>

#include "kernels/contraction/contraction.hpp"
#include "kernels/contraction/matmul_kernel.hpp"

namespace popir {

/// Operands: in, weights, out (see contraction::ConvSpec), then a bias [output channels] if any.
/// The pass determines which operand is written.
///
/// Activations may have any strides without broadcast (16-bit floats: only dense), or be in channel
/// blocks. Weights are plain and dense. Work: see contractionWork().
class ConvKernel final : public Kernel {
 public:
  struct Problem {
    contraction::Pass pass;
    poplar::Type inType, outType;  ///< of what the pass reads; of what it writes
    std::int64_t batch, groups, inChannels, outChannels;  ///< channels per group
    std::vector<std::int64_t> inField, kernel, outField;
    std::vector<std::int64_t> stride, dilation, inDilation, padLower;
    bool bias = false;
    MachineOptions options;

    friend bool operator<(const Problem& a, const Problem& b);
    auto state() const {
      return std::tie(pass, inType, outType, batch, groups, inChannels, outChannels, inField,
                      kernel, outField, stride, dilation, inDilation, padLower, bias, options);
    }
    /// Number of multiplications, without those by zeros of padding or dilation of `in`. Saturates
    /// at 2^64 - 1.
    std::uint64_t multiplications() const;
  };

  explicit ConvKernel(const Problem& problem) : p_(problem) {}
  const char* name() const override;
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override {
    return writesHalf ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  Work work(const std::vector<Layout>& operands) const override;
  bool mayPreferBlocks() const override { return true; }
  std::vector<int> preferredBlocks(const std::vector<Layout>& operands,
                                   const Setting& setting) const override;
  /// Widens operand `in`, each field dimension by less than its stride.
  std::shared_ptr<const Kernel> widened(std::size_t i,
                                        const std::vector<std::int64_t>& shape) const override;
  std::shared_ptr<const Tail> tail() const override;
  /// Returns a ConvTailKernel, or null.
  std::shared_ptr<const Kernel> withTail(const Tail& tail) const override;

  const Problem& problem() const { return p_; }
  contraction::ConvSpec spec(const std::vector<Layout>& operands, const Setting& setting) const;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(p_); }

 private:
  Problem p_;
};

}  // namespace popir

#endif
