// The kernel behind casts from and to 8-bit floats.
#ifndef popir_kernels_elementwise_quarter_cast_hpp
#define popir_kernels_elementwise_quarter_cast_hpp

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

/// Operands: QUARTER to cast to FLOAT or HALF, or one of these to cast to QUARTER; the result; the
/// metadata [1] of the one of QUARTER. All are dense.
class QuarterCastKernel : public Kernel {
 public:
  /// `isInstruction`: the machine has one for it.
  QuarterCastKernel(poplar::Type from, poplar::Type to, bool isInstruction)
      : from_(from), to_(to), isInstruction_(isInstruction) {}

  const char* name() const override { return "cast"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override {
    return writesHalf ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popops::Cast1D", or "popops::MapExpr" of the operators by which PopLibs makes up for the
  /// instruction.
  Work work(const std::vector<Layout>& operands) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(from_, to_, isInstruction_); }

 private:
  poplar::Type from_, to_;
  bool isInstruction_;
};

}  // namespace popir

#endif
