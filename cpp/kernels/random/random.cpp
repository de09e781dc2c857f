#include "kernels/random/random.hpp"

#include <algorithm>

#include "kernels/check.hpp"
#include "kernels/parallel.hpp"
#include "kernels/random/sampler.hpp"
#include "kernels/saved_kernel.hpp"
#include "kernels/vector/philox.hpp"

namespace popir {
namespace {

const SavedKernel<RandomKernel> kSavedRandom("random");

class RandomRunner : public Runner {
 public:
  RandomRunner(const RandomNumbers& numbers, const std::vector<Layout>& operands,
               const Setting& setting)
      : numbers_(numbers),
        sampler_(makeRandomSampler(numbers, operands[0].type)),
        elements_(static_cast<std::int64_t>(operands[0].elements())),
        bytes_(static_cast<std::int64_t>(operands[0].type.sizeInBytes())),
        threads_(setting.threads),
        rounding_(setting.rounding) {}

  void run(void* const* operands, void*) const override {
    auto* seed = static_cast<std::uint32_t*>(operands[1]);
    const PhiloxStream stream = {{seed[0], seed[1]}, {numbers_.stream[0], numbers_.stream[1]}};
    auto* out = static_cast<char*>(operands[0]);
    const auto* in =
        numbers_.law == RandomLaw::Dropout ? static_cast<const char*>(operands[2]) : nullptr;
    const std::int64_t chunks = (elements_ + kRandomChunk - 1) / kRandomChunk;
    parallelFor(chunks, threads_, elements_, [&](std::int64_t chunk) {
      const std::int64_t begin = chunk * kRandomChunk, at = begin * bytes_;
      sample(stream, begin, std::min(kRandomChunk, elements_ - begin),
             {in ? in + at : nullptr, rounding_, begin}, out + at);
    });
    if (numbers_.countRuns && ++seed[0] == 0) ++seed[1];
  }

 private:
  void sample(const PhiloxStream& stream, std::int64_t begin, std::int64_t n, const Scaled& scaled,
              void* out) const {
    alignas(64) std::uint32_t words[2 * kRandomChunk];
    const std::int64_t each = sampler_->wordsPerElement();
    philoxWords(stream, static_cast<std::uint64_t>(begin * each / 4), (n * each + 3) / 4, words);
    sampler_->sample(words, n, scaled, out);
  }

  RandomNumbers numbers_;
  std::unique_ptr<RandomSampler> sampler_;
  std::int64_t elements_, bytes_;
  unsigned threads_;
  Rounding rounding_;
};

const char* nameOf(RandomLaw law) {
  switch (law) {
    case RandomLaw::Uniform: return "Uniform";
    case RandomLaw::LogUniform: return "LogUniform";
    case RandomLaw::Bernoulli: return "Bernoulli";
    case RandomLaw::Normal: return "Normal";
    case RandomLaw::TruncatedNormal: return "TruncatedNormal";
    case RandomLaw::Dropout: return "Dropout";
  }
  return "?";
}

}  // namespace

std::unique_ptr<Runner> RandomKernel::prepare(const std::vector<Layout>& operands,
                                              const Setting& setting) const {
  return std::make_unique<RandomRunner>(numbers_, operands, setting);
}

void RandomKernel::check(const std::vector<OperandInfo>& operands) const {
  const bool isDropout = numbers_.law == RandomLaw::Dropout;
  requireOperands(operands, isDropout ? 3 : 2);
  const auto& out = operands[0];
  requireOperand(out, Access::Write, out.type, out.shape);
  requireOperand(operands[1], numbers_.countRuns ? Access::ReadWrite : Access::Read,
                 poplar::UNSIGNED_INT, {2});
  if (isDropout) requireOperand(operands[2], Access::Read, out.type, out.shape);
  require(makeRandomSampler(numbers_, out.type) != nullptr, "the law has no numbers of this type");
}

Work RandomKernel::work(const std::vector<Layout>& operands) const {
  return {std::string("poprand::") + nameOf(numbers_.law),
          ElementsWork{operands[0].type, operands[0].elements()}};
}

}  // namespace popir
