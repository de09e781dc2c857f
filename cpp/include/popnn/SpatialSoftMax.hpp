// Expected coordinates. After popnn/SpatialSoftMax.hpp of PopLibs 3.
#ifndef popnn_SpatialSoftMax_hpp
#define popnn_SpatialSoftMax_hpp

#include <poplar/Graph.hpp>
#include <popnn/NonLinearity.hpp>

#include <utility>

#pragma GCC visibility push(default)
namespace popnn {

/// For each field of `fields`, [fields, height, width], the expected y and x, [fields, 2], under the
/// softmax of the field divided by a temperature; both from -1 at the first to 1 at the last row or
/// column. The second tensor is the temperature, a scalar variable that begins with `temperature`.
/// With `disableSoftmax` the fields are probabilities already.
/// \throws poputil::poplibs_error for another rank
std::pair<poplar::Tensor, poplar::Tensor> spatialSoftMax2D(
    poplar::Graph& graph, poplar::program::Sequence& prog, const poplar::Tensor& fields,
    float temperature, bool disableSoftmax = false, const poplar::DebugContext& debugContext = {});

}  // namespace popnn
#pragma GCC visibility pop

#endif
