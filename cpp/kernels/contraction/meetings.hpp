// Counts the multiplications of a convolution or the additions of a pooling, without padding and
// dilation.
#ifndef popir_kernels_contraction_meetings_hpp
#define popir_kernels_contraction_meetings_hpp

#include <cstdint>

namespace popir {

/// One dimension of a sliding window. Strides and dilations are from 1 to 2^32, sizes from 0 to
/// 2^32, `pad` from -2^32 to 2^32, exclusive.
struct Sliding {
  std::int64_t in, out, window;
  std::int64_t stride, dilation, inDilation, pad;
};

/// Number of pairs (output, element of its window) that read an input element, rather than padding
/// or a zero of dilation. Takes logarithmic time.
std::uint64_t meetings(const Sliding& s);

/// a * b, saturated at the largest number.
std::uint64_t saturatingProduct(std::uint64_t a, std::uint64_t b);

}  // namespace popir

#endif
