// From random words to numbers that follow a law.
#ifndef popir_kernels_random_sampler_hpp
#define popir_kernels_random_sampler_hpp

#include <cstdint>
#include <limits>
#include <memory>
#include <poplar/Type.hpp>

#include "kernels/random.hpp"

namespace popir {

/// The most elements that a sampler makes at once; even, and with any sampler whole blocks of
/// words.
constexpr std::int64_t kRandomChunk = 1024;

/// What Dropout scales, and how its results are rounded, of which the first has the number `first`.
/// Other laws have no use for it: the seed alone says which numbers they give.
struct Scaled {
  const void* in;
  const Rounding& rounding;
  std::int64_t first;
};

class RandomSampler {
 public:
  virtual ~RandomSampler() = default;
  virtual int wordsPerElement() const { return 1; }
  /// Writes n <= kRandomChunk elements. `words` has those of n elements, rounded up to a block.
  virtual void sample(const std::uint32_t* words, std::int64_t n, const Scaled& scaled,
                      void* out) const = 0;
};

/// Null if there are no numbers of this type that follow the law.
std::unique_ptr<RandomSampler> makeRandomSampler(const RandomNumbers& numbers, poplar::Type type);

/// The least and the greatest finite number of a type within [a, b] or, if `open`, [a, b), as
/// doubles; the first greater than the second if there is none. FLOAT, HALF or DOUBLE.
struct Bounds {
  double least, greatest;
};
Bounds boundsIn(poplar::Type type, double a, double b, bool open);

}  // namespace popir

#endif
