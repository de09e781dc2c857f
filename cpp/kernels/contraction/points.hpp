// Convolutions of single points as matrix products.
#ifndef popir_kernels_contraction_points_hpp
#define popir_kernels_contraction_points_hpp

#include <functional>
#include <memory>

#include "kernels/contraction/contraction.hpp"

namespace popir {
namespace contraction {

using MakeProduct =
    std::function<std::unique_ptr<Contraction>(const MatMulSpec&, unsigned threads)>;

/// A forward convolution with 1 x 1 filters and stride 1, or the gradient of its data, whose channels
/// are rows in memory: for each image and group the product of the weights and the image, as both
/// lie. So a convolution alone lays nothing out in channel blocks. Threads share the images of
/// convolutions of groups where each has as many. Null for others: those with post-ops, of other types
/// than FLOAT, and of few points.
std::unique_ptr<Contraction> makePoints(const ConvSpec& spec, unsigned threads,
                                        const MakeProduct& make);
/// Whether makePoints() takes the convolution.
bool isOfPoints(const ConvSpec& spec);

}  // namespace contraction
}  // namespace popir

#endif
