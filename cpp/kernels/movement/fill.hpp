// The kernel behind popops::fill and popops::zero.
#ifndef popir_kernels_movement_fill_hpp
#define popir_kernels_movement_fill_hpp

#include <array>
#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

/// Operand: the tensor to fill, with any strides > 0, or in any channel block.
class FillKernel : public Kernel {
 public:
  /// `value`: the bytes of the element; those beyond its size are not used.
  explicit FillKernel(std::array<unsigned char, 8> value) : value_(value) {}

  const char* name() const override { return "fill"; }
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popops::Fill".
  Work work(const std::vector<Layout>& operands) const override;
  std::vector<std::size_t> tied(const std::vector<Layout>&) const override { return {0}; }

  bool fillsWithZeros() const { return value_ == std::array<unsigned char, 8>{}; }

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(value_); }

 private:
  std::array<unsigned char, 8> value_;
};

}  // namespace popir

#endif
