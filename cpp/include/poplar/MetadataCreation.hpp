// Tensors that hold the metadata of QUARTER. After poplar/MetadataCreation.hpp of the Poplar SDK 3.
#ifndef poplar_MetadataCreation_hpp
#define poplar_MetadataCreation_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>

#pragma GCC visibility push(default)
namespace poplar {

/// The byte of QuarterMetadata::getBinary(), UNSIGNED_CHAR, []: a constant, or a variable that
/// `prog` sets.
/// \throws poplar_error for a scale outside of [-32, 31]
Tensor createConstantMetadataTensor(Graph& graph, QuarterMetadata::Format fmt, int scale,
                                    const DebugContext& debugContext = {});
Tensor createVariableMetadataTensor(Graph& graph, QuarterMetadata::Format fmt, int scale,
                                    program::Sequence& prog, const DebugContext& debugContext = {});
/// The same for a scale that the device knows: one element of an integer type, of which the lowest
/// 6 bits count.
/// \throws poputil::poplibs_error for another number of elements
Tensor createVariableMetadataTensor(Graph& graph, QuarterMetadata::Format fmt, const Tensor& scale,
                                    program::Sequence& prog, const DebugContext& debugContext = {});

}  // namespace poplar
#pragma GCC visibility pop

#endif
