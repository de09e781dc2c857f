// The bulk vertex kernel of contractions of QUARTER.
#ifndef popir_kernels_contraction_quarter_kernel_hpp
#define popir_kernels_contraction_quarter_kernel_hpp

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/kernel.hpp"

namespace popir {

/// A contraction of FLOAT, `inner`, with operands of QUARTER in place of the two that it reads. They
/// are converted before it, exactly. The machine model counts it as a contraction of QUARTER.
///
/// Operands: those of `inner`, then the metadata of the two, [1] each.
class QuarterKernel final : public Kernel {
 public:
  /// `first` and `second`: the operands of QUARTER, in order.
  QuarterKernel(std::shared_ptr<const Kernel> inner, std::size_t first, std::size_t second)
      : inner_(std::move(inner)), quarters_{first, second} {}
  const char* name() const override { return inner_->name(); }
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override { return inner_->rounds(writesHalf); }
  void check(const std::vector<OperandInfo>& operands) const override;
  Work work(const std::vector<Layout>& operands) const override;

  const Kernel& inner() const { return *inner_; }
  const std::array<std::size_t, 2>& quarters() const { return quarters_; }

 private:
  std::shared_ptr<const Kernel> inner_;
  std::array<std::size_t, 2> quarters_;
};

}  // namespace popir

#endif
