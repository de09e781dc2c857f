// QUARTER on the device, in operations on its bits (poplar/Quarter.hpp).
#ifndef popops_quarter_hpp
#define popops_quarter_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popir {

/// The values of a tensor of QUARTER, as FLOAT.
/// \throws poplar::type_error if it has no metadata
poplar::Tensor fromQuarter(poplar::Graph& graph, const poplar::Tensor& src,
                           poplar::program::Sequence& prog,
                           const poplar::DebugContext& debugContext);
/// Writes FLOAT to a tensor of QUARTER.
/// \throws poplar::type_error if it has no metadata
void toQuarter(poplar::Graph& graph, const poplar::Tensor& src, const poplar::Tensor& dst,
               poplar::program::Sequence& prog, const poplar::DebugContext& debugContext);

}  // namespace popir

#endif
