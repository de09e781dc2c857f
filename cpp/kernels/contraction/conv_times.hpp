// What forward convolutions of rows of points, FLOAT, take by other sources than planes: estimates for
// AVX-512, by constants that were fitted to measurements (docs/contractions.md). They are as good as
// choosing between sources needs: within a fifth for most shapes.
#ifndef popir_kernels_contraction_conv_times_hpp
#define popir_kernels_contraction_conv_times_hpp

#include "kernels/contraction/contraction.hpp"

namespace popir {
namespace contraction {

/// How long this machine takes over Zen 5, whose nanoseconds the constants of estimates are: for
/// multiplications of vectors, and for all else.
struct Pace {
  double multiplied = 1, others = 1;
};
Pace pace();

/// Nanoseconds by oneDNN, with its reorders of the input and the output where these are plain.
double oneDnnTime(const ConvSpec& spec, unsigned threads);
/// The same by products of single points as they lie, without strides.
double pointsTime(const ConvSpec& spec, unsigned threads);

/// Nanoseconds by our own depthwise kernels in blocks, with copies of plain sides, channels filling vectors.
double depthwiseBlocksTime(const ConvSpec& spec, unsigned threads);

/// Nanoseconds by columns and our own products.
double columnsTime(const ConvSpec& spec, unsigned threads);

}  // namespace contraction
}  // namespace popir

#endif
