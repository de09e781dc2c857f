// The bulk vertex kernel of convolutions of 8-bit integers minus zero points.
#ifndef popir_kernels_contraction_integer_conv_kernel_hpp
#define popir_kernels_contraction_integer_conv_kernel_hpp

#include <tuple>

#include "kernels/contraction/conv_kernel.hpp"
#include "kernels/contraction/integer_conv.hpp"

namespace popir {

/// Operands: in, weights and out as of a ConvKernel, then the zero point of `in`, [1], and those of
/// the weights, [1] or [groups * output channels]; see contraction::makeIntegerConv(). All are dense, in and
/// out also with channels last, which is preferred where they fill words.
/// Work: that of the convolution of SHORT, since no machine multiplies bytes. Only the engine's
/// fusion adds a tail, a requantization, so the cost model never sees it; `out` is of bytes or FLOAT
/// then.
class IntegerConvKernel final : public Kernel {
 public:
  /// `shape`: a forward pass from SHORT to INT without bias and without dilation of the input.
  IntegerConvKernel(const ConvKernel::Problem& shape, const poplar::Type& inType,
                    const poplar::Type& weightsType, ZeroPoints inZero, ZeroPoints weightZeros)
      : shape_(shape),
        inType_(inType),
        weightsType_(weightsType),
        inZero_(inZero),
        weightZeros_(weightZeros) {}
  const char* name() const override { return tail_ ? "integerConv+requantize" : "integerConv"; }
  bool accepts(std::size_t i, const Layout& layout) const override {
    return layout.dense() || (layout.channelBlock == Layout::kChannelsLast && (i == 0 || i == 2));
  }
  bool mayPreferBlocks() const override { return true; }
  std::vector<int> preferredBlocks(const std::vector<Layout>& operands,
                                   const Setting& setting) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  void check(const std::vector<OperandInfo>& operands) const override;
  Work work(const std::vector<Layout>& operands) const override;

  std::shared_ptr<const Tail> tail() const override;
  std::shared_ptr<const Kernel> withTail(const Tail& tail) const override;

  /// Constructor arguments in order, for saved executables, whose kernels have no tail.
  auto state() const { return std::tie(shape_, inType_, weightsType_, inZero_, weightZeros_); }

 private:
  ConvKernel::Problem shape_;
  poplar::Type inType_, weightsType_;
  ZeroPoints inZero_, weightZeros_;
  std::shared_ptr<const Tail> tail_;
};

}  // namespace popir

#endif
