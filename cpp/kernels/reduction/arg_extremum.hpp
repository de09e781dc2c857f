// The kernel of argMax and argMin.
#ifndef popir_kernels_reduction_arg_extremum_hpp
#define popir_kernels_reduction_arg_extremum_hpp

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

/// Dense operands: the input [rows, columns]; UNSIGNED_INT [rows], the index of the first extremum
/// of each row, or of the last one; and, if `values`, the extrema [rows]. A NaN counts as an
/// extremum. The input may also be [outer, columns, inner], without `values`; the index is [outer,
/// inner] then.
class ArgExtremumKernel : public Kernel {
 public:
  ArgExtremumKernel(bool max, bool values, bool last = false)
      : max_(max), values_(values), last_(last) {}

  static bool supports(poplar::Type type);

  const char* name() const override { return max_ ? "arg max" : "arg min"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popnn::ReduceMaxClassGather" or "popnn::ReduceMinClassGather".
  Work work(const std::vector<Layout>& operands) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(max_, values_, last_); }

 private:
  bool max_, values_, last_;
};

}  // namespace popir

#endif
