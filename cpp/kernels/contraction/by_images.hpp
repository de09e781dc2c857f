// Convolutions of which each thread computes images, or groups, of its own.
#ifndef popir_kernels_contraction_by_images_hpp
#define popir_kernels_contraction_by_images_hpp

#include <memory>

#include "kernels/contraction/divided_sums.hpp"

namespace popir {
namespace contraction {

/// A forward convolution or the gradient of its data, each image on one thread, as the steps before
/// and after it. Null if it has no images to share, or weights larger than these, which each thread
/// reads.
std::unique_ptr<Contraction> makeByImages(const ConvSpec& spec,
                                          const std::vector<FurtherOperand>& further,
                                          unsigned threads, const MakePart<ConvSpec>& make);
/// The same of a depthwise convolution of plain rows of one image: each thread has as many vectors of channels.
std::unique_ptr<Contraction> makeByGroups(const ConvSpec& spec, unsigned threads,
                                          const MakePart<ConvSpec>& make);
/// The same of any number of images, with so few vectors in a part that its copies stay in the L2 cache. Null
/// if threads would have too few parts.
std::unique_ptr<Contraction> makeByVectors(const ConvSpec& spec, unsigned threads,
                                           const MakePart<ConvSpec>& make);

}  // namespace contraction
}  // namespace popir

#endif
