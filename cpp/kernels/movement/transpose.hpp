// The kernel behind popops/Rearrange.hpp.
#ifndef popir_kernels_movement_transpose_hpp
#define popir_kernels_movement_transpose_hpp

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

/// Transposes matrices. Operands: what is written, [matrices, columns, rows], and what is read,
/// [matrices, rows, columns], of elements of 1, 2, 4 or 8 bytes; both dense.
class TransposeKernel : public Kernel {
 public:
  const char* name() const override { return "transpose"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popops::Transpose".
  Work work(const std::vector<Layout>& operands) const override;

  /// What it is made of, in the order of its constructor; for saved programs.
  auto state() const { return std::tuple<>(); }
};

}  // namespace popir

#endif
