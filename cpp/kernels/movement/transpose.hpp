// The kernel behind popops/Rearrange.hpp.
#ifndef popir_kernels_movement_transpose_hpp
#define popir_kernels_movement_transpose_hpp

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

/// Transposes matrices. Operands: the result [matrices, columns, rows] and the input [matrices,
/// rows, columns], both dense, with elements of 1, 2, 4 or 8 bytes.
class TransposeKernel : public Kernel {
 public:
  const char* name() const override { return "transpose"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popops::Transpose".
  Work work(const std::vector<Layout>& operands) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tuple<>(); }
};

}  // namespace popir

#endif
