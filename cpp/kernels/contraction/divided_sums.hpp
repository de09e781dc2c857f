// Contractions whose sums are divided among threads: gradients of weights, which add over all rows or
// images of a batch.
#ifndef popir_kernels_contraction_divided_sums_hpp
#define popir_kernels_contraction_divided_sums_hpp

#include <cstdint>
#include <functional>
#include <memory>

#include "kernels/contraction/contraction.hpp"

namespace popir {
namespace contraction {

/// Makes the contraction of a part, which runs on one thread; null if it cannot.
template <class Spec>
using MakePart = std::function<std::unique_ptr<Contraction>(const Spec&)>;

/// The contraction with each thread adding over a part of k, or of the images of a WeightsGradient,
/// into a result of its own; these are then added in order. Null where it is not faster than to share
/// the elements of the result. The bits depend on the number of threads.
std::unique_ptr<Contraction> makeDividedSums(const MatMulSpec& spec, unsigned threads,
                                             const MakePart<MatMulSpec>& make);
std::unique_ptr<Contraction> makeDividedSums(const ConvSpec& spec, unsigned threads,
                                             const MakePart<ConvSpec>& make);

/// Elements from one image to the next.
std::int64_t imageStep(const Layout& layout);

}  // namespace contraction
}  // namespace popir

#endif
