// The kernel of topK.
#ifndef popir_kernels_reduction_top_k_hpp
#define popir_kernels_reduction_top_k_hpp

#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

/// Dense operands: the input [rows, columns]; its k largest or smallest elements of each row [rows,
/// k]; UNSIGNED_INT [rows, k], the columns that they are from.
///
/// `ascending`: whether they are in ascending order, else in descending order. Of equal elements
/// those of lower columns are taken, and stand first. A NaN is larger than every number.
class TopKKernel : public Kernel {
 public:
  TopKKernel(bool largest, bool ascending) : largest_(largest), ascending_(ascending) {}

  static bool supports(poplar::Type type);

  const char* name() const override { return "top k"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popops::TopK".
  Work work(const std::vector<Layout>& operands) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(largest_, ascending_); }

 private:
  bool largest_, ascending_;
};

}  // namespace popir

#endif
