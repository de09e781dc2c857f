#include <popops/ElementWise.hpp>
#include <popops/NormaliseImage.hpp>
#include <poputil/exceptions.hpp>

#include <string>
#include <vector>

namespace popops {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

namespace {

void checkImage(const char* who, const poplar::Type& type, const std::vector<std::size_t>& shape) {
  const bool known = type == poplar::UNSIGNED_CHAR || type == poplar::HALF || type == poplar::FLOAT;
  if (known && !shape.empty() && shape.back() == 3) return;
  throw poputil::poplibs_error(
      std::string("popops::") + who +
      ": an image is UNSIGNED_CHAR, HALF "
      "or FLOAT with a last dimension of 3 channels; given was " +
      type.toString() + " with " +
      (shape.empty() ? "no dimension" : std::to_string(shape.back()) + " channels"));
}

}  // namespace

Tensor createNormaliseImageInput(Graph& graph, const poplar::Type& type,
                                 const poplar::ArrayRef<std::size_t> shape,
                                 const DebugContext& debugContext) {
  checkImage("createNormaliseImageInput", type, {shape.begin(), shape.end()});
  return graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, debugContext);
}

Tensor normaliseImage(Graph& graph, Sequence& seq, Tensor tIn, float inScale, Tensor offsets,
                      Tensor scales, const DebugContext& debugContext) {
  namespace pe = expr;
  checkImage("normaliseImage", tIn.elementType(), tIn.shape());
  const poplar::Type type =
      tIn.elementType() == poplar::UNSIGNED_CHAR ? poplar::HALF : tIn.elementType();
  for (const Tensor& t : {offsets, scales})
    if (t.rank() != 1 || t.dim(0) != 3 || t.elementType() != type)
      throw poputil::poplibs_error("popops::normaliseImage: offsets and scales are " +
                                   type.toString() + " [3]; given was " +
                                   t.elementType().toString() + " " + t.shapeToString());
  const DebugContext context(debugContext, "normaliseImage");
  const auto value =
      pe::Cast(pe::_1, poplar::FLOAT) * pe::Const(inScale) - pe::Cast(pe::_2, poplar::FLOAT);
  const Tensor made = map(graph, pe::Cast(value * pe::Cast(pe::_3, poplar::FLOAT), type),
                          {tIn, offsets, scales}, seq, context);
  auto shape = made.shape();
  shape.back() = 1;
  const Tensor fourth = graph.addConstant(type, {}, 0.0f, context);
  graph.setTileMapping(fourth, 0u);
  Tensor zeros = fourth;
  for (std::size_t d = shape.size(); d-- > 0;)
    zeros = zeros.expand({0}).broadcast(static_cast<unsigned>(shape[d]), 0);
  const unsigned last = static_cast<unsigned>(shape.size() - 1);
  // A tensor of its own, so that it may be written.
  const Tensor padded = graph.addVariable(type, poplar::concat(made, zeros, last).shape(),
                                          poplar::VariableMappingMethod::LINEAR, context);
  seq.add(poplar::program::Copy(poplar::concat(made, zeros, last), padded, false, context));
  return padded;
}

}  // namespace popops
