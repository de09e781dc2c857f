// The kernel behind poprand: elements that depend on a seed and on where they are.
#ifndef popir_kernels_random_hpp
#define popir_kernels_random_hpp

#include <array>
#include <cstdint>
#include <tuple>

#include "kernels/kernel.hpp"

namespace popir {

enum class RandomLaw : std::uint8_t {
  Uniform,          // on [a, b), or on the integers from a to b
  LogUniform,       // the logarithm is uniform; from a to b
  Bernoulli,        // 1 with probability a, else 0
  Normal,           // mean a, standard deviation b
  TruncatedNormal,  // the same, within c standard deviations
  Dropout,          // an operand times b with probability a, else 0
};

struct RandomNumbers {
  RandomLaw law;
  double a = 0, b = 0, c = 0;
  /// Words 2 and 3 of Philox' counter; its key is the seed, and words 0 and 1 count blocks.
  std::array<std::uint32_t, 2> stream = {0, 0};
  /// The kernel counts its runs in the seed.
  bool countRuns = false;

  auto state() const { return std::tie(law, a, b, c, stream, countRuns); }
};

/// Operands: the result; the seed, two unsigned ints, also written if it counts runs; for dropout,
/// what is scaled, of the result's type and shape. All dense.
///
/// Element i, in row-major order, is made of word i of the stream. Numbers of DOUBLE are made of
/// words 2i and 2i+1, but for Bernoulli and Dropout. Normal numbers 2j and 2j+1 are made together
/// of the words of both.
class RandomKernel : public Kernel {
 public:
  explicit RandomKernel(const RandomNumbers& numbers) : numbers_(numbers) {}

  const char* name() const override { return "random"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  /// Random numbers are drawn, not rounded.
  Rounds rounds(bool writesHalf) const override {
    return writesHalf && numbers_.law == RandomLaw::Dropout ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "poprand::" and the name of the law, {elements}.
  Work work(const std::vector<Layout>& operands) const override;

  /// What it is made of, in the order of its constructor; for saved programs.
  auto state() const { return std::tie(numbers_); }

 private:
  RandomNumbers numbers_;
};

}  // namespace popir

#endif
