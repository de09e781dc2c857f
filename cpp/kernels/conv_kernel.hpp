// The bulk vertex kernel of convolutions and their gradients.
#ifndef popir_kernels_conv_kernel_hpp
#define popir_kernels_conv_kernel_hpp

#include <tuple>

#include "kernels/contraction.hpp"
#include "kernels/matmul_kernel.hpp"

namespace popir {

/// Operands in, weights, out (contraction::ConvSpec says how they relate), then a bias [channels of
/// out], if any; the pass says which one is written.
///
/// Activations may have any strides without broadcast, or be blocked; weights are plain and dense.
/// Work: see contractionWork().
class ConvKernel final : public Kernel {
 public:
  struct Problem {
    contraction::Pass pass;
    poplar::Type inType, outType;                         ///< inType is the weights' too
    std::int64_t batch, groups, inChannels, outChannels;  ///< channels of one group
    std::vector<std::int64_t> inField, kernel, outField;
    std::vector<std::int64_t> stride, dilation, inDilation, padLower;
    bool bias = false;
    MachineOptions options;

    friend bool operator<(const Problem& a, const Problem& b);
    auto state() const {
      return std::tie(pass, inType, outType, batch, groups, inChannels, outChannels, inField,
                      kernel, outField, stride, dilation, inDilation, padLower, bias, options);
    }
    /// Products that meet an element of `in`, neither padding nor dilation; 2^64 - 1 if there are
    /// more.
    std::uint64_t multiplications() const;
  };

  explicit ConvKernel(const Problem& problem) : p_(problem) {}
  const char* name() const override;
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  unsigned threads) const override;
  void check(const std::vector<OperandInfo>& operands) const override;
  Work work(const std::vector<Layout>& operands) const override;
  std::vector<int> preferredBlocks(const std::vector<Layout>& operands,
                                   unsigned threads) const override;

  const Problem& problem() const { return p_; }
  contraction::ConvSpec spec(const std::vector<Layout>& operands) const;

  /// What it is made of, in the order of its constructor; for saved programs.
  auto state() const { return std::tie(p_); }

 private:
  Problem p_;
};

}  // namespace popir

#endif
