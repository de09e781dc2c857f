// A forward convolution with the element-wise work that follows it. Made by the engine when it
// fuses steps, never by a library function: the machine reading does not know it.
#ifndef popir_kernels_conv_tail_hpp
#define popir_kernels_conv_tail_hpp

#include <memory>
#include <string>
#include <vector>

#include "kernels/conv_kernel.hpp"
#include "kernels/expression/program.hpp"

namespace popir {

/// Operands in, weights, out, then what the tail reads beside the convolution's result.
///
/// The tail goes with the convolution where its source can do that, else it is a pass of its own
/// over the output; each operator rounds as it does on its own.
class ConvTailKernel final : public Kernel {
 public:
  using Extent = contraction::PostOp::Extent;

  /// Input 0 of `tail` is the convolution's result, input k operand 2 + k, of `extents[k]`:
  /// [1], [channels] or of out's shape.
  /// Null if the tail is not a chain of post-ops over a FLOAT result, or reads out itself.
  static std::shared_ptr<const ConvTailKernel> make(std::shared_ptr<const ConvKernel> conv,
                                                    const MapProgram& tail,
                                                    std::vector<Extent> extents);

  /// "conv+multiply+add+relu"
  const char* name() const override { return name_.c_str(); }
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  /// That of the convolution alone.
  Work work(const std::vector<Layout>& operands) const override { return conv_->work(operands); }
  std::vector<int> preferredBlocks(const std::vector<Layout>& operands,
                                   unsigned threads) const override;
  std::vector<std::size_t> tied(const std::vector<Layout>& operands) const override;

  const std::shared_ptr<const ConvKernel>& conv() const { return conv_; }
  const MapProgram& tail() const { return tail_; }
  const std::vector<Extent>& extents() const { return extents_; }

 private:
  ConvTailKernel() = default;

  std::shared_ptr<const ConvKernel> conv_;
  MapProgram tail_;
  std::vector<Extent> extents_;
  std::vector<contraction::PostOp> chain_;
  std::string name_;
};

}  // namespace popir

#endif
