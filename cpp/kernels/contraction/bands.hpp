// Forward convolutions in bands of rows of the output. A thread brings the rows that a band reads into
// its own memory, as floats, computes the band and what follows it, and stores it, all while that is in
// its second-level cache.
#ifndef popir_kernels_contraction_bands_hpp
#define popir_kernels_contraction_bands_hpp

#include <memory>
#include <vector>

#include "kernels/contraction/contraction.hpp"
#include "kernels/contraction/divided_sums.hpp"

namespace popir {
namespace contraction {

/// A forward convolution of images of which `in`, `out` or an operand of that shape has 16-bit floats.
/// `make` makes that of one image, or of a band of its rows, in float: all operands are floats, `in` and
/// `out` dense. Weights, the bias and operands of channels are floats already. Null where it is not
/// faster than to convert whole tensors, or `make` gives null.
std::unique_ptr<Contraction> makeInBands(const ConvSpec& spec,
                                         const std::vector<FurtherOperand>& further,
                                         unsigned threads, const MakePart<ConvSpec>& make);

}  // namespace contraction
}  // namespace popir

#endif
