// The kernel behind argMax and argMin.
#ifndef popir_kernels_arg_extremum_hpp
#define popir_kernels_arg_extremum_hpp

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

/// Operands, dense: [rows, columns]; UNSIGNED_INT [rows], where the first extremum of each row is;
/// and, if `values`, the extremum itself, [rows]. A NaN is an extremum.
class ArgExtremumKernel : public Kernel {
 public:
  ArgExtremumKernel(bool max, bool values) : max_(max), values_(values) {}

  static bool supports(poplar::Type type);

  const char* name() const override { return max_ ? "arg max" : "arg min"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popnn::ReduceMaxClassGather" or "popnn::ReduceMinClassGather", {rows, columns}.
  Work work(const std::vector<Layout>& operands) const override;

  /// What it is made of, in the order of its constructor; for saved programs.
  auto state() const { return std::tie(max_, values_); }

 private:
  bool max_, values_;
};

}  // namespace popir

#endif
