#include <poplar/MetadataCreation.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

namespace poplar {

Tensor createConstantMetadataTensor(Graph& graph, QuarterMetadata::Format fmt, int scale,
                                    const DebugContext& debugContext) {
  const auto byte = QuarterMetadata(fmt, scale).getBinary();
  const auto t = graph.addConstant<unsigned char>(UNSIGNED_CHAR, {}, {byte}, debugContext);
  graph.setTileMapping(t, 0);
  return t;
}

Tensor createVariableMetadataTensor(Graph& graph, QuarterMetadata::Format fmt, int scale,
                                    program::Sequence& prog, const DebugContext& debugContext) {
  const auto value = createConstantMetadataTensor(graph, fmt, scale, debugContext);
  const auto t = graph.clone(value, debugContext);
  prog.add(program::Copy(value, t));
  return t;
}

Tensor createVariableMetadataTensor(Graph& graph, QuarterMetadata::Format fmt, const Tensor& scale,
                                    program::Sequence& prog, const DebugContext& debugContext) {
  if (scale.numElements() != 1)
    throw poputil::poplibs_error("createVariableMetadataTensor: a scale of " +
                                 scale.shapeToString() + "; expected one element");
  namespace pe = popops::expr;
  const auto bits = popops::cast(graph, scale.reshape({}), UNSIGNED_INT, prog, debugContext);
  const auto format = pe::Const(static_cast<unsigned>(QuarterMetadata(fmt, 0).getBinary()));
  const auto byte =
      popops::map(graph, pe::BitwiseOr(pe::BitwiseAnd(pe::_1, pe::Const(0x3fU)), format), {bits},
                  prog, debugContext);
  return popops::cast(graph, byte, UNSIGNED_CHAR, prog, debugContext);
}

}  // namespace poplar
