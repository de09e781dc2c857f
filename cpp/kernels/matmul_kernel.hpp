// The bulk vertex kernel of matrix products.
#ifndef popir_kernels_matmul_kernel_hpp
#define popir_kernels_matmul_kernel_hpp

#include <tuple>

#include "kernels/contraction.hpp"

namespace popir {

/// How the machine is to do a contraction; nothing to the host.
struct MachineOptions {
  poplar::Type partialsType = poplar::FLOAT;
  /// Of a tile's memory, for temporary data.
  double availableMemoryProportion = 0.6;
  /// Weights are loaded 128 bits at a time, from interleaved memory, where the machine can.
  bool wideWeightLoads = false;

  auto state() const { return std::tie(partialsType, availableMemoryProportion, wideWeightLoads); }
  /// \throws std::invalid_argument for a proportion that is none.
  void check() const;
  friend bool operator<(const MachineOptions& a, const MachineOptions& b);
};

/// Operands A [groups, m, k], B [groups, k, n], C [groups, m, n]: C = alpha * A * B, or C is added
/// to.
///
/// A and B are taken as they lie if their rows or their columns are dense, groups broadcast or not;
/// C too, without broadcast. Work: see contractionWork().
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
  const Problem& problem() const { return p_; }
  const char* name() const override { return "matmul"; }
  bool accepts(std::size_t i, const Layout& layout) const override;
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool writesHalf) const override {
    return writesHalf ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  Work work(const std::vector<Layout>& operands) const override;

  /// What it is made of, in the order of its constructor; for saved programs.
  auto state() const { return std::tie(p_); }

 private:
  Problem p_;
};

/// What the machine reading is told of any contraction: the classes of machine/estimators.hpp and
/// their sizes, in the direction of this pass, since a gradient is a convolution of its own; after
/// them the bits of a partial sum, the available memory in permille, whether
/// weights are loaded 128 bits at a time, and of a convolution its geometry.
/// PopLibs makes a product of matrices a convolution with one tap over m output points. Flops: two
/// for every product with an element of the input, none for a zero that pads it.
struct ContractionSizes {
  std::int64_t groups, points, inChannels, outChannels, taps;
};
Work contractionWork(poplar::Type type, const ContractionSizes& sizes,
                     const MachineOptions& options, std::uint64_t multiplications);

}  // namespace popir

#endif
