// A forward convolution fused with the element-wise operators that follow it. Only the engine's
// fusion makes this kernel, so the cost model never sees it.
#ifndef popir_kernels_contraction_conv_tail_hpp
#define popir_kernels_contraction_conv_tail_hpp

#include <memory>
#include <string>
#include <vector>

#include "kernels/contraction/conv_kernel.hpp"
#include "kernels/elementwise/forms.hpp"

namespace popir {

/// Operands: in, weights, out, then the tail's operands.
///
/// The operators that the tail begins with are post-ops, where the convolution's source supports them.
/// The others are a separate pass over the output, of 16-bit floats over each band (bands.hpp). Each
/// operator of FLOAT rounds as it does unfused; 16-bit floats are rounded once, after the last operator.
class ConvTailKernel final : public Kernel {
 public:
  /// Returns null unless `conv` is a forward convolution of FLOAT or a 16-bit float without a bias, and
  /// the tail is a chain of post-ops: each operator uses the result before it once. What follows such a
  /// chain, or stands in its place, may be anything if the result has 16 bits.
  static std::shared_ptr<const ConvTailKernel> make(const ConvKernel& conv, const Tail& tail);

  /// "conv+multiply+add+relu"
  const char* name() const override { return name_.c_str(); }
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  /// The work of the convolution alone.
  Work work(const std::vector<Layout>& operands) const override { return conv_.work(operands); }
  Rounds rounds(bool writesHalf) const override { return conv_.rounds(writesHalf); }
  bool mayPreferBlocks() const override { return true; }
  std::vector<int> preferredBlocks(const std::vector<Layout>& operands,
                                   const Setting& setting) const override;
  std::vector<std::size_t> tied(const std::vector<Layout>& operands) const override;
  std::shared_ptr<const Tail> tail() const override { return tail_; }
  std::shared_ptr<const Kernel> withTail(const Tail& tail) const override {
    return make(conv_, tail);
  }

 private:
  explicit ConvTailKernel(const ConvKernel& conv) : conv_(conv) {}
  /// The convolution and its tail, in float. `spec` may have fewer images than `operands`.
  std::unique_ptr<contraction::Contraction> makeFloat(contraction::ConvSpec spec,
                                                      const std::vector<Layout>& operands,
                                                      unsigned threads, Setting setting) const;

  ConvKernel conv_;
  std::shared_ptr<const Tail> tail_;
  MapProgram floats_;  // of the tail
  std::vector<contraction::PostOp> chain_;
  MapProgram rest_;  // after the chain; without outputs if nothing is
  std::string name_;
};

}  // namespace popir

#endif
