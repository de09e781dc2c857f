// Running sums and products along a dimension. popir's own.
#ifndef popir_Scan_hpp
#define popir_Scan_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#pragma GCC visibility push(default)
namespace popir {

/// How a scan goes along its dimension.
struct ScanOptions {
  bool exclusive = false;  ///< without the element itself: the first result is 0, or 1
  bool reverse = false;    ///< from the last element to the first
};

/// y[i] = x[0] + ... + x[i] along `dimension`: a new tensor of the shape and type of x, which is
/// FLOAT, HALF, BFLOAT16, DOUBLE or a 32- or 64-bit integer type. HALF and BFLOAT16 are added as
/// float and rounded once, FLOAT as double; integers wrap.
/// \throws poputil::poplibs_error for another type, and for a dimension that x does not have
poplar::Tensor runningSum(poplar::Graph& graph, const poplar::Tensor& x, unsigned dimension,
                          const ScanOptions& options, poplar::program::Sequence& prog,
                          const poplar::DebugContext& debugContext = {});

/// The same of products.
poplar::Tensor runningProduct(poplar::Graph& graph, const poplar::Tensor& x, unsigned dimension,
                              const ScanOptions& options, poplar::program::Sequence& prog,
                              const poplar::DebugContext& debugContext = {});

/// The gradient of the x of runningProduct, where `g` is that of its result. x may have zeros. Both
/// have one shape and one floating-point type.
poplar::Tensor runningProductGradient(poplar::Graph& graph, const poplar::Tensor& x,
                                      const poplar::Tensor& g, unsigned dimension,
                                      const ScanOptions& options, poplar::program::Sequence& prog,
                                      const poplar::DebugContext& debugContext = {});

}  // namespace popir
#pragma GCC visibility pop

#endif
