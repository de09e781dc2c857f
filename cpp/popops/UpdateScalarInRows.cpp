#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/EncodingConstants.hpp>
#include <popops/UpdateScalarInRows.hpp>
#include <poputil/exceptions.hpp>

#include <limits>

namespace popops {

void updateScalarInRows(poplar::Graph& graph, const poplar::Tensor& params,
                        const poplar::Tensor& indices, poplar::program::Sequence& program,
                        const poplar::DebugContext& debugContext) {
  namespace pe = expr;
  const poplar::Type type = params.elementType();
  if (params.rank() != 2 || (type != poplar::FLOAT && type != poplar::HALF) ||
      indices.rank() != 1 || indices.dim(0) != params.dim(0) ||
      indices.elementType() != poplar::UNSIGNED_INT)
    throw poputil::poplibs_error("popops::updateScalarInRows: given were " + type.toString() + " " +
                                 params.shapeToString() + " and indices " +
                                 indices.elementType().toString() + " " + indices.shapeToString() +
                                 "; give FLOAT or HALF [rows, columns] and UNSIGNED_INT [rows]");
  const poplar::DebugContext context(debugContext, "updateScalarInRows");
  const unsigned columns = static_cast<unsigned>(params.dim(1));
  const auto column = graph.addVariable(poplar::UNSIGNED_INT, {columns},
                                        poplar::VariableMappingMethod::LINEAR, context);
  iota(graph, column, 0u, program, context);
  const auto isIndex = pe::Lt(pe::_3, pe::Const(columns));
  const auto isMasked = pe::Equal(pe::_3, pe::Const(MASKED_LABEL_CODE));
  const auto less = pe::_1 - pe::Cast(pe::Equal(pe::_2, pe::_3), type);
  const pe::Cast nan(pe::Const(std::numeric_limits<float>::quiet_NaN()), type);
  mapInPlace(graph, pe::Select(less, nan, pe::Or(isIndex, isMasked)),
             {params, column.expand({0}), indices.expand({1})}, program, context);
}

}  // namespace popops
