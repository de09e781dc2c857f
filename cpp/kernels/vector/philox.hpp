// The counter-based random generator Philox-4x32-10. A block of four random words is a function of
// a 128-bit counter and a 64-bit key. J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011.
#ifndef popir_kernels_vector_philox_hpp
#define popir_kernels_vector_philox_hpp

#include <cstdint>

namespace popir {

/// A key, and the upper half of the counter.
struct PhiloxStream {
  std::uint32_t key[2];
  std::uint32_t upper[2];
};

/// Writes blocks [first, first + blocks) of the stream: 4 * blocks words. The lower half of a
/// block's counter is the block's number modulo 2^64.
__attribute__((visibility("default"))) void philoxWords(const PhiloxStream& stream,
                                                        std::uint64_t first, std::int64_t blocks,
                                                        std::uint32_t* words);

}  // namespace popir

#endif
