// How many products a convolution or a pooling really makes.
#ifndef popir_kernels_meetings_hpp
#define popir_kernels_meetings_hpp

#include <cstdint>

namespace popir {

/// One dimension of a sliding window. Steps are from 1 to 2^32, sizes from 0 to 2^32, `pad` is
/// between -2^32 and 2^32.
struct Sliding {
  std::int64_t in, out, window;
  std::int64_t stride, dilation, inDilation, pad;
};

/// Pairs of an output and an element of its window that meet an element of the input, neither
/// padding nor a zero of dilation. Takes no longer for larger sizes.
std::uint64_t meetings(const Sliding& s);

/// a * b; the largest number there is where that has no place in it.
std::uint64_t saturatingProduct(std::uint64_t a, std::uint64_t b);

}  // namespace popir

#endif
