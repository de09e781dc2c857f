// The kernel behind popops::scaledAddTo and scaledSubtractFrom.
#ifndef popir_kernels_elementwise_scaled_add_hpp
#define popir_kernels_elementwise_scaled_add_hpp

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

/// A scale: a number, or a one-element operand multiplied by that number.
struct Scale {
  double number = 1;
  bool operand = false;

  auto state() const { return std::tie(number, operand); }
};

/// Add: a = a + sb * b. Both: a = sa * a + sb * b. MinusAx: a = (a - sa * a) + sb * b.
enum class ScaledAddForm { Add, Both, MinusAx };
constexpr ScaledAddForm lastOf(ScaledAddForm) { return ScaledAddForm::MinusAx; }

/// Operands: a (read and written), b, then those of sa and sb that are operands. a and b are both
/// dense, or both in the same channel block.
class ScaledAddKernel : public Kernel {
 public:
  ScaledAddKernel(ScaledAddForm form, Scale a, Scale b) : form_(form), a_(a), b_(b) {}

  static bool supports(poplar::Type a, poplar::Type b);
  static bool supportsScale(poplar::Type type);

  const char* name() const override { return "scaled add"; }
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override {
    return writesHalf ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popops::ScaledAdd" or "popops::aXPlusbY".
  Work work(const std::vector<Layout>& operands) const override;
  std::vector<std::size_t> tied(const std::vector<Layout>& operands) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(form_, a_, b_); }

 private:
  ScaledAddForm form_;
  Scale a_, b_;
};

}  // namespace popir

#endif
