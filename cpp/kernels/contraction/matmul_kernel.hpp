// The bulk vertex kernel of matrix products.
#ifndef popir_kernels_contraction_matmul_kernel_hpp
#define popir_kernels_contraction_matmul_kernel_hpp

#include <tuple>

#include "kernels/contraction/contraction.hpp"

namespace popir {

/// Options that affect the machine model only.
struct MachineOptions {
  poplar::Type partialsType = poplar::FLOAT;
  /// Proportion of a tile's memory that may hold temporary data.
  double availableMemoryProportion = 0.6;
  /// Weights are loaded 128 bits at a time from interleaved memory, if the machine supports it.
  bool wideWeightLoads = false;
  /// As in ContractionWork.
  ContractionWork::Layer layer = ContractionWork::Layer::None;
  bool multiStageReduce = true, fastReduce = false, preArranged = false;

  auto state() const {
    return std::tie(partialsType, availableMemoryProportion, wideWeightLoads, layer,
                    multiStageReduce, fastReduce, preArranged);
  }
  /// \throws std::invalid_argument if availableMemoryProportion is not a valid proportion
  void check() const;
  friend bool operator<(const MachineOptions& a, const MachineOptions& b);
};

/// Computes C = alpha * A * B, or adds it to C, for A [groups, m, k], B [groups, k, n] and C
/// [groups, m, n].
///
/// The rows or the columns of each operand must be contiguous. A and B may be broadcast over
/// groups. If an operand has 16-bit floats, C must have no gaps. Work: see contractionWork().
class MatMulKernel final : public Kernel {
 public:
  struct Problem {
    poplar::Type inType, outType;
    std::int64_t groups, m, n, k;
    float alpha = 1;
    bool accumulate = false;
    MachineOptions options;

    auto state() const {
      return std::tie(inType, outType, groups, m, n, k, alpha, accumulate, options);
    }
    friend bool operator<(const Problem& a, const Problem& b);
  };

  explicit MatMulKernel(const Problem& problem) : p_(problem) {}
  const char* name() const override { return "matmul"; }
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override {
    return writesHalf ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  Work work(const std::vector<Layout>& operands) const override;
  std::uint64_t operations(const std::vector<Layout>& operands) const override;
  /// Groups and m of products in several groups, of other than 16-bit floats.
  Rows rows(const std::vector<OperandInfo>& operands) const override;
  /// Supports FLOAT only.
  std::shared_ptr<const Kernel> accumulating(float factor) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(p_); }

 private:
  Problem p_;
};

/// The Work of a contraction with the sizes in `work` and the options. A matrix product is costed
/// as PopLibs computes it: as a convolution with one kernel element and m output points. Flops: two
/// for each of the `multiplications`, which do not include those by zeros of padding.
Work contractionWork(ContractionWork work, const MachineOptions& options,
                     std::uint64_t multiplications);

}  // namespace popir

#endif
