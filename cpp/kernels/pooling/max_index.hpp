// The kernel that finds where the maxima of a pooling are.
#ifndef popir_kernels_pooling_max_index_hpp
#define popir_kernels_pooling_max_index_hpp

#include <tuple>
#include <vector>

#include "kernels/pooling/pool_plan.hpp"

namespace popir {

/// Dense operands: the input [batch, channels, spatial...]; LONGLONG, as the output of the pooling:
/// the index in the flattened input of the first maximum of each window, or of its first NaN; -1 for
/// a window without an element. If `columnMajor`, indices of a channel count its first spatial
/// dimension fastest.
class MaxIndexKernel : public Kernel {
 public:
  /// `axes`: the spatial dimensions.
  MaxIndexKernel(std::vector<PoolAxis> axes, bool columnMajor)
      : axes_(std::move(axes)), columnMajor_(columnMajor) {}

  const char* name() const override { return "max pool index"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popnn::MaxPoolingIndex".
  Work work(const std::vector<Layout>& operands) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(axes_, columnMajor_); }

 private:
  std::vector<PoolAxis> axes_;
  bool columnMajor_;
};

}  // namespace popir

#endif
