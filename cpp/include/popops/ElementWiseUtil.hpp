// popops/ElementWiseUtil.hpp: the layout of results of element-wise operations.
#ifndef popops_ElementWiseUtil_hpp
#define popops_ElementWiseUtil_hpp

#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <vector>

#pragma GCC visibility push(default)

namespace popops {

/// A new variable of the shape that all `inputs` have, mapped to tiles as one of them is: among
/// those in which no element is broadcast, the one whose fullest tile holds least, then the one on
/// the most tiles, then the first. Where there is none it is mapped linearly.
/// \throws poputil::poplibs_error if there are no inputs or their shapes differ.
poplar::Tensor createOutputForElementWiseOp(poplar::Graph& graph,
                                            const std::vector<poplar::Tensor>& inputs,
                                            const poplar::Type& outputType,
                                            const poplar::DebugContext& debugContext = {});

}  // namespace popops

#pragma GCC visibility pop

#endif
