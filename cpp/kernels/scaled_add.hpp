// The kernel behind popops::scaledAddTo and scaledSubtractFrom.
#ifndef popir_kernels_scaled_add_hpp
#define popir_kernels_scaled_add_hpp

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

/// A factor: a number, or an operand of one element times that number.
struct Scale {
  double number = 1;
  bool operand = false;

  auto state() const { return std::tie(number, operand); }
};

/// a = a + sb b, a = sa a + sb b, or a = (a - sa a) + sb b.
enum class ScaledAddForm { Add, Both, MinusAx };

/// Operands: a (read and written), b, and those of sa and sb that are operands, in this order. a
/// and b are dense, or in one block.
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
  /// "popops::ScaledAdd" or "popops::aXPlusbY", {elements}.
  Work work(const std::vector<Layout>& operands) const override;
  std::vector<std::size_t> tied(const std::vector<Layout>& operands) const override;

  /// What it is made of, in the order of its constructor; for saved programs.
  auto state() const { return std::tie(form_, a_, b_); }

 private:
  ScaledAddForm form_;
  Scale a_, b_;
};

}  // namespace popir

#endif
