// The kernel behind popops::iota.
#ifndef popir_kernels_movement_iota_hpp
#define popir_kernels_movement_iota_hpp

#include <cstdint>
#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

/// Writes first, first + 1, ... modulo 2^32. Operand: INT or UNSIGNED_INT [elements].
class IotaKernel : public Kernel {
 public:
  explicit IotaKernel(std::uint32_t first) : first_(first) {}

  const char* name() const override { return "iota"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popops::Iota".
  Work work(const std::vector<Layout>& operands) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(first_); }

 private:
  std::uint32_t first_;
};

}  // namespace popir

#endif
