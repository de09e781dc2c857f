// Products of few rows with 16-bit floats that stay, which are widened in registers: what these products
// wait for is memory, and a panel of 16-bit floats is half of one of floats.
#ifndef popir_kernels_contraction_half_panels_hpp
#define popir_kernels_contraction_half_panels_hpp

#include <cstdint>

#include "kernels/half.hpp"

namespace popir {
namespace half_panels {

/// One product of rows of A, in float, with neighbouring panels of B.
template <class T>
struct Block {
  const float* a;  // [rows, k], aRow apart
  std::int64_t aRow, k;
  const T* b;  // panels [k, columns], one after the other
  std::int64_t panels;
  float* c;  // [rows, panels * columns], cRow apart
  std::int64_t cRow;
};

/// The routines of one instruction set. T is half or Bfloat16.
template <class T>
struct Routines {
  /// Columns of a panel, and rows at most.
  std::int64_t columns, rows;
  /// Sums are in the order of k. `rows` from 1.
  void (*run)(const Block<T>& block, std::int64_t rows);
};

namespace avx2 {
extern const Routines<half> kHalves;
extern const Routines<Bfloat16> kBfloats;
}  // namespace avx2
namespace avx512 {
extern const Routines<half> kHalves;
extern const Routines<Bfloat16> kBfloats;
}  // namespace avx512

}  // namespace half_panels
}  // namespace popir

#endif
