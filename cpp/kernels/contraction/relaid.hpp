// Convolutions whose source wants activations in blocks of channels, on plain ones.
#ifndef popir_kernels_contraction_relaid_hpp
#define popir_kernels_contraction_relaid_hpp

#include <functional>
#include <memory>

#include "kernels/contraction/contraction.hpp"

namespace popir {
namespace contraction {

using MakeConv =
    std::function<std::unique_ptr<Contraction>(const ConvSpec& spec, unsigned threads)>;

/// What `make` gives for activations in blocks of `block` channels, or channels-last where a forward
/// convolution without groups has an odd multiple of half a block. Activations that are plain are
/// copied before or after. So a convolution has the same source, and the same bits, whatever the
/// layouts. Null if channels fit neither, or if `make` gives none. Not for gradients of weights.
std::unique_ptr<Contraction> makeInBlocks(const ConvSpec& spec, int block, unsigned threads,
                                          const MakeConv& make);

}  // namespace contraction
}  // namespace popir

#endif
