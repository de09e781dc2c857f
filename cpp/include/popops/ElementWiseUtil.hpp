// Layouts for results of element-wise operations. After popops/ElementWiseUtil.hpp of PopLibs 3.
#ifndef popops_ElementWiseUtil_hpp
#define popops_ElementWiseUtil_hpp

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <vector>

#pragma GCC visibility push(default)

namespace popops {

/// Creates a variable with the common shape of `inputs`, and the tile mapping of one of them. Only
/// inputs without broadcast elements are considered. Of these it chooses the one with the fewest
/// elements on its fullest tile, then the one on the most tiles, then the first. If there is none,
/// it maps the variable linearly.
/// \throws poputil::poplibs_error if there are no inputs, or their shapes differ
poplar::Tensor createOutputForElementWiseOp(poplar::Graph& graph,
                                            const std::vector<poplar::Tensor>& inputs,
                                            const poplar::Type& outputType,
                                            const poplar::DebugContext& debugContext = {});

}  // namespace popops

#pragma GCC visibility pop

#endif
