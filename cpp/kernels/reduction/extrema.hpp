// The kernel of a minimum and a maximum of the same.
#ifndef popir_kernels_reduction_extrema_hpp
#define popir_kernels_reduction_extrema_hpp

#include <memory>
#include <vector>

#include "kernels/reduction/reduce.hpp"

namespace popir {

/// What two ReduceKernels compute, of MIN and MAX, with the same bits. Operands: the input, the output of
/// the first, that of the second. Rows of floats are read once, other inputs twice.
class ExtremaKernel final : public Kernel {
 public:
  ExtremaKernel(const std::vector<bool>& reduced, bool leastFirst)
      : leastFirst_(leastFirst),
        first_(leastFirst ? popops::Operation::MIN : popops::Operation::MAX, reduced, false, false),
        second_(leastFirst ? popops::Operation::MAX : popops::Operation::MIN, reduced, false,
                false) {}

  const char* name() const override { return "extrema"; }
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override { return first_.rounds(writesHalf); }
  Rows rows(const std::vector<OperandInfo>& operands) const override;
  /// \throws std::logic_error, since only the host runs this kernel
  Work work(const std::vector<Layout>& operands) const override;

 private:
  bool leastFirst_;
  ReduceKernel first_, second_;
};

/// The kernel of both, if one is a minimum and the other a maximum of the same dimensions; else null.
std::shared_ptr<const Kernel> extremaOf(const Kernel& first, const Kernel& second);

}  // namespace popir

#endif
