// Products of matrices of 16-bit integers, with sums of 32 bits that wrap.
#ifndef popir_kernels_contraction_shorts_hpp
#define popir_kernels_contraction_shorts_hpp

#include <cstdint>
#include <memory>

#include "kernels/contraction/contraction.hpp"

namespace popir {
namespace contraction {

/// SHORT to INT, without scale and bias; null for other products. B is packed.
std::unique_ptr<Contraction> makeShorts(const MatMulSpec& spec, unsigned threads);

}  // namespace contraction

/// The kernel of one instruction set. Elements of A and B come in pairs along k.
struct ShortsKernel {
  /// The columns of a panel.
  std::int64_t columns;
  /// C [rows, columns] = A B, or C += A B if `add`. A: rows of pairs, aRow elements apart; B: a panel
  /// [pairs, columns, 2]; C: rows that are cRow elements apart.
  void (*run)(const std::int16_t* a, std::int64_t aRow, const std::int16_t* panel,
              std::int64_t pairs, std::int32_t* c, std::int64_t cRow, std::int64_t rows, bool add);
};

namespace base {
extern const ShortsKernel kShorts;
}
namespace avx2 {
extern const ShortsKernel kShorts;
}
namespace avx512 {
extern const ShortsKernel kShorts;
}

}  // namespace popir

#endif
