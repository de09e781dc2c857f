// Columns of floats, gathered by whole vectors: the loops of gatherColumns() (im2col.hpp) for AVX-512.
#ifndef popir_kernels_contraction_columns_hpp
#define popir_kernels_contraction_columns_hpp

#include <cstddef>
#include <cstdint>

namespace popir {
namespace contraction {

/// Up to 16 neighbouring points of a row of columns. Point i is the element `step` i behind `from`, of a
/// channel, where bit `step` i of `taken` is set, with a step of 1 or 2; bit i with a longer one. Others are
/// padding.
struct ColumnVector {
  std::int64_t from;
  std::int32_t to;
  std::uint32_t taken;
};
constexpr std::int64_t kColumnVector = 16;
/// Channels from which on it is worth finding out, once for all, what vectors there are.
constexpr std::int64_t kChannelsOfVectors = 4;

namespace avx512 {
/// Gathers a row: `count` vectors, of which each writes a whole one, in order of `to`. So up to 15 elements
/// behind the row are written too.
void gatherVectors(const float* channel, const ColumnVector* vectors, std::size_t count,
                   std::int64_t step, float* row);
}  // namespace avx512

}  // namespace contraction
}  // namespace popir

#endif
