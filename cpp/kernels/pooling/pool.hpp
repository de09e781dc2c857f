// The kernel of pooling and its gradients.
#ifndef popir_kernels_pooling_pool_hpp
#define popir_kernels_pooling_pool_hpp

#include <tuple>
#include <vector>

#include "kernels/pooling/pool_plan.hpp"

namespace popir {

/// Operands, all [batch, channels, spatial...], plain, in blocks of 8 or 16 channels, or, but for
/// gradients, with channels last:
/// Max, Sum, Average                        input, output;
/// SumGrad, AverageGrad                     gradient of the output, gradient of the input;
/// MaxGradFirst, MaxGradAll, MaxGradShared  input, gradient of the output, gradient of the input.
/// The last one is written.
class PoolKernel : public Kernel {
 public:
  /// `axes`: the spatial dimensions.
  PoolKernel(PoolKind kind, std::vector<PoolAxis> axes) : kind_(kind), axes_(std::move(axes)) {}

  static bool supports(PoolKind kind, poplar::Type type) {
    return static_cast<bool>(base::poolFunctions(type, kind, 16));
  }

  const char* name() const override { return isGrad(kind_) ? "pool gradient" : "pool"; }
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override {
    return writesHalf ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popnn::MaxPooling", "popnn::MaxPoolingGradient", or "popnn::SumPooling" for all other kinds.
  /// Where a window is the whole field it is "popops::Reduce", and "poplar::Copy" for the gradient of
  /// a sum, as popnn::pooling has it.
  Work work(const std::vector<Layout>& operands) const override;
  /// Whether there is one window, of all elements of the field and no padding.
  bool poolsWholeField() const;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(kind_, axes_); }

 private:
  PoolKind kind_;
  std::vector<PoolAxis> axes_;
};

}  // namespace popir

#endif
