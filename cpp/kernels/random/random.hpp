// The kernel of poprand. Each element is a function of the seed and its index.
#ifndef popir_kernels_random_random_hpp
#define popir_kernels_random_random_hpp

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
constexpr RandomLaw lastOf(RandomLaw) { return RandomLaw::Dropout; }

struct RandomNumbers {
  RandomLaw law;
  double a = 0, b = 0, c = 0;
  /// Words 2 and 3 of the Philox counter. The key is the seed; words 0 and 1 count blocks.
  std::array<std::uint32_t, 2> stream = {0, 0};
  /// Increment a run counter in the seed after each run.
  bool countRuns = false;

  auto state() const { return std::tie(law, a, b, c, stream, countRuns); }
};

/// Dense operands: the result; the seed, two unsigned ints, also written if `countRuns`; for
/// Dropout the input, with the type and shape of the result.
///
/// Element i, in row-major order, uses word i of the stream. Elements of DOUBLE (except for
/// Bernoulli and Dropout) and LogUniform integers use words 2i and 2i+1. Normal elements 2j and
/// 2j+1 are computed together from the words of both.
class RandomKernel : public Kernel {
 public:
  explicit RandomKernel(const RandomNumbers& numbers) : numbers_(numbers) {}

  const char* name() const override { return "random"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting& setting) const override;
  /// Random values are generated in their type, so nothing is rounded, except for Dropout.
  Rounds rounds(bool writesHalf) const override {
    return writesHalf && numbers_.law == RandomLaw::Dropout ? Rounds::AsAsked : Rounds::Nothing;
  }
  void check(const std::vector<OperandInfo>& operands) const override;
  /// "poprand::" and the name of the law.
  Work work(const std::vector<Layout>& operands) const override;

  /// Constructor arguments in order, for saved executables.
  auto state() const { return std::tie(numbers_); }

 private:
  RandomNumbers numbers_;
};

}  // namespace popir

#endif
