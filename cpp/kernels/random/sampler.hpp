// Converts random words to elements with a given distribution.
#ifndef popir_kernels_random_sampler_hpp
#define popir_kernels_random_sampler_hpp

#include <cstdint>
#include <limits>
#include <memory>
#include <poplar/Type.hpp>

#include "kernels/random/random.hpp"

namespace popir {

/// Largest number of elements per sample() call. It is even, and its words are whole Philox blocks.
constexpr std::int64_t kRandomChunk = 1024;

/// Dropout only: the input, the rounding mode, and the index of the first element (for stochastic
/// rounding).
struct Scaled {
  const void* in;
  const Rounding& rounding;
  std::int64_t first;
};

class RandomSampler {
 public:
  virtual ~RandomSampler() = default;
  virtual int wordsPerElement() const { return 1; }
  /// Writes n <= kRandomChunk elements. `words` has the words of n elements, rounded up to a block.
  virtual void sample(const std::uint32_t* words, std::int64_t n, const Scaled& scaled,
                      void* out) const = 0;
};

/// Null if the distribution does not support the type.
std::unique_ptr<RandomSampler> makeRandomSampler(const RandomNumbers& numbers, poplar::Type type);

/// The least and the greatest finite number of a type in [a, b], or in [a, b) if `open`. FLOAT,
/// HALF or DOUBLE. If there is no such number, least > greatest.
struct Bounds {
  double least, greatest;
};
Bounds boundsIn(poplar::Type type, double a, double b, bool open);

}  // namespace popir

#endif
