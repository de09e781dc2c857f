// Products of matrices of 16-bit integers, with sums of 32 bits that wrap.
#ifndef popir_kernels_contraction_shorts_hpp
#define popir_kernels_contraction_shorts_hpp

#include <memory>

#include "kernels/contraction/contraction.hpp"

namespace popir {
namespace contraction {

/// SHORT to INT, without scale and bias; null for other products. B is packed.
std::unique_ptr<Contraction> makeShorts(const MatMulSpec& spec, unsigned threads);

}  // namespace contraction

}  // namespace popir

#endif
