// Depthwise convolutions of rows of points as they lie in memory, without blocks of channels: a channel at a
// time, vectors of the outputs of a row, whose inputs are loaded with masks where they are padding.
#ifndef popir_kernels_contraction_depthwise_rows_hpp
#define popir_kernels_contraction_depthwise_rows_hpp

#include <memory>

#include "kernels/contraction/contraction.hpp"

namespace popir {
namespace contraction {

/// Forward with strides of 1 and 2 along rows, and towards data without strides, as makePlanes() otherwise,
/// and with a bias and a Relu as post-ops; null for others. It has the bits of planes.
std::unique_ptr<Contraction> makeDepthwiseRows(const ConvSpec& spec, unsigned threads);
/// Nanoseconds that it takes, estimated for AVX-512; infinity where makeDepthwiseRows() has none.
double depthwiseRowsTime(const ConvSpec& spec, unsigned threads);

}  // namespace contraction
}  // namespace popir

#endif
