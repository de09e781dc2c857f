// The kernel behind popops::histogram.
#ifndef popir_kernels_reduction_histogram_hpp
#define popir_kernels_reduction_histogram_hpp

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

/// Counts elements by levels: those below the first level, those from each level up to the next, those
/// from the last one. NaN is in none. Operands: elements, FLOAT or HALF [n]; levels of the same type
/// [l]; counts, UNSIGNED_INT or FLOAT [l + 1].
class HistogramKernel : public Kernel {
 public:
  /// `absolute`: of the elements' absolute values.
  explicit HistogramKernel(bool absolute) : absolute_(absolute) {}

  const char* name() const override { return "histogram"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popops::Histogram1D".
  Work work(const std::vector<Layout>& operands) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(absolute_); }

 private:
  bool absolute_;
};

}  // namespace popir

#endif
