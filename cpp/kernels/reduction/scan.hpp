// The kernel of running sums and products.
#ifndef popir_kernels_reduction_scan_hpp
#define popir_kernels_reduction_scan_hpp

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

enum class ScanKind : std::uint8_t { Sum, Product, ProductGradient };
constexpr ScanKind lastOf(ScanKind) { return ScanKind::ProductGradient; }

/// Dense operands [outer, n, inner] of one type; the scan goes along the middle, each line on its
/// own:
/// Sum, Product      input, output;
/// ProductGradient   input, gradient of the output, gradient of the input.
///
/// `exclusive`: without the element itself, so that the first result is 0 or 1. `reverse`: from the
/// last element to the first. 16-bit floats are added as float, FLOAT as double; integers wrap.
/// The gradient of a product divides by nothing, so that zeros do no harm.
class ScanKernel : public Kernel {
 public:
  ScanKernel(ScanKind kind, bool exclusive, bool reverse)
      : kind_(kind), exclusive_(exclusive), reverse_(reverse) {}

  ScanKind kind() const { return kind_; }
  static bool supports(ScanKind kind, poplar::Type type);

  const char* name() const override { return "scan"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override {
    return writesHalf ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popops::Scan" or "popops::ScanProductGradient".
  Work work(const std::vector<Layout>& operands) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(kind_, exclusive_, reverse_); }

 private:
  ScanKind kind_;
  bool exclusive_, reverse_;
};

}  // namespace popir

#endif
