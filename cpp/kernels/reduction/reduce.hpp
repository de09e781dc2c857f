// The kernel of popops::reduce.
#ifndef popir_kernels_reduction_reduce_hpp
#define popir_kernels_reduction_reduce_hpp

#include <popops/OperationDef.hpp>
#include <tuple>
#include <vector>

#include "kernels/kernel.hpp"

namespace popir {

/// Operands: the input, the output and, if `scaled`, a scale of one FLOAT. With `update` the result
/// is combined with the old output, as popops::ReduceParams says.
class ReduceKernel : public Kernel {
 public:
  /// `reduced[d]` is true if dimension d of the input is reduced.
  ReduceKernel(popops::Operation op, std::vector<bool> reduced, bool update, bool scaled)
      : op_(op), reduced_(std::move(reduced)), update_(update), scaled_(scaled) {}

  /// True if the operation takes elements of type `in` and can store results as `out`.
  static bool supports(popops::Operation op, poplar::Type in, poplar::Type out);

  /// Whether it is a minimum or a maximum, and nothing else is done with it.
  bool isExtremum() const;
  popops::Operation operation() const { return op_; }
  /// By dimension of the input.
  const std::vector<bool>& reduced() const { return reduced_; }

  const char* name() const override { return "reduce"; }
  /// The input needs strides > 0, one of them 1; or channels in blocks that are kept, where all that
  /// lies between them is reduced. It is read in the same order in all layouts.
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override {
    return writesHalf ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  Rows rows(const std::vector<OperandInfo>& operands) const override;
  /// Of a sum of all but the second of three dimensions or more.
  std::shared_ptr<const SummingForm> summing() const override;
  /// "popops::Reduce".
  Work work(const std::vector<Layout>& operands) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(op_, reduced_, update_, scaled_); }

 private:
  bool acceptsBlocks(const Layout& layout) const;

  popops::Operation op_;
  std::vector<bool> reduced_;
  bool update_, scaled_;
};

}  // namespace popir

#endif
