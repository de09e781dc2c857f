// The kernels of connectionist temporal classification (Graves et al., 2006): its loss with the
// gradient, and the search for the most likely labels. A sample is one task.
#ifndef popir_kernels_loss_ctc_hpp
#define popir_kernels_loss_ctc_hpp

#include <cstdint>
#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

struct CtcLossSpec {
  std::uint64_t blank = 0;
  bool writesGradient = true;
  /// Whether the gradient is that of logits, whose softmax the probabilities are.
  bool ofLogits = true;
  /// Whether the loss of a sample without an alignment is 0, with no gradient; else infinity.
  bool zeroInfinity = false;

  auto state() const { return std::tie(blank, writesGradient, ofLogits, zeroInfinity); }
};

/// Dense operands: FLOAT logarithms of probabilities [time, batch, classes]; INT labels [batch, most
/// labels]; INT steps [batch]; INT counts of labels [batch]; FLOAT loss [batch]; FLOAT gradient, of
/// the first one's shape, only if it is written.
class CtcLossKernel : public Kernel {
 public:
  explicit CtcLossKernel(const CtcLossSpec& spec) : spec_(spec) {}

  const char* name() const override { return "ctc loss"; }
  /// The runner throws poplar::application_runtime_error if a sample has more steps or labels than
  /// there is room for, or a label is no class.
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popnn::CTCAlpha" or, with the gradient, "popnn::CTCGradGivenAlpha".
  Work work(const std::vector<Layout>& operands) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(spec_); }

 private:
  CtcLossSpec spec_;
};

/// A beam search over prefixes. Dense operands: FLOAT logarithms of probabilities [time, batch,
/// classes]; INT steps [batch]; FLOAT logarithms of the probabilities of the best paths
/// [batch, paths]; UNSIGNED_INT lengths [batch, paths]; UNSIGNED_INT labels [batch, paths, time],
/// filled up with the blank.
class CtcSearchKernel : public Kernel {
 public:
  /// `width`: the number of prefixes that are kept from step to step.
  CtcSearchKernel(std::uint64_t blank, std::uint64_t width) : blank_(blank), width_(width) {}

  const char* name() const override { return "ctc search"; }
  /// The runner throws poplar::application_runtime_error if a sample has more steps than there are.
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "popnn::CTCGenerateExtendCandidates".
  Work work(const std::vector<Layout>& operands) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(blank_, width_); }

 private:
  std::uint64_t blank_, width_;
};

}  // namespace popir

#endif
