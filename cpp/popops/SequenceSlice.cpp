#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Reduce.hpp>
#include <popops/SequenceSlice.hpp>
#include <popops/Zero.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;

void sequenceSlice(Graph& graph, const Tensor& tIn, const Tensor& tOut, const Tensor& tN,
                   const Tensor& tInOffset, const Tensor& tOutOffset, bool zeroUnused,
                   Sequence& prog, const DebugContext& debugContext) {
  namespace pe = expr;
  const DebugContext context(debugContext, "sequenceSlice");
  for (const Tensor& t : {tN, tInOffset, tOutOffset})
    if (t.rank() != 1 || t.numElements() != tN.numElements() ||
        (t.elementType() != poplar::INT && t.elementType() != poplar::UNSIGNED_INT))
      throw poputil::poplibs_error(
          "popops::sequenceSlice: lengths and offsets are vectors of one "
          "length, INT or UNSIGNED_INT; one is " +
          t.elementType().toString() + " " + t.shapeToString());
  if (tIn.rank() < 2 || tOut.rank() < 2 || tIn.elementType() != tOut.elementType() ||
      tIn[0].numElements() != tOut[0].numElements())
    throw poputil::poplibs_error(
        "popops::sequenceSlice: given were " + tIn.elementType().toString() + " " +
        tIn.shapeToString() + " and " + tOut.elementType().toString() + " " + tOut.shapeToString() +
        "; give tensors of one type, of two dimensions or more, with rows "
        "of one size");
  const Tensor in = tIn.reshape({tIn.dim(0), tIn[0].numElements()});
  const Tensor out = tOut.reshape({tOut.dim(0), tOut[0].numElements()});
  const std::size_t sequences = tN.numElements(), rows = out.dim(0);
  if (zeroUnused) zero(graph, out, prog, context);
  if (sequences == 0 || rows == 0) return;

  // For each row of the output: is it in a sequence, and if so, which row of the input is it?
  // Integers in 32 bits wrap, so that a distance below 0 is larger than any length.
  const auto u32 = [](const Tensor& t) { return t.reinterpret(poplar::UNSIGNED_INT).expand({1}); };
  const Tensor row = graph.addVariable(poplar::UNSIGNED_INT, {rows},
                                       poplar::VariableMappingMethod::LINEAR, context);
  iota(graph, row, 0u, prog, context);
  const Tensor each = row.expand({0});
  const Tensor n = u32(tN), from = u32(tInOffset), to = u32(tOutOffset);
  const auto distance = pe::_1 - pe::_2;
  const auto inside = pe::Lt(distance, pe::_3);
  // One plus the row of the input, 0 for none.
  const Tensor sources =
      map(graph, pe::Select(distance + pe::_4 + pe::Const(1u), pe::Const(0u), inside),
          {each, to, n, from}, prog, context);
  const Tensor source = reduce(graph, sources, {0}, Operation::MAX, prog, context);
  const Tensor taken = map(graph, pe::_1 - pe::Const(1u), {source}, prog, context);
  const Tensor moved =
      multiSlice(graph, in, taken.expand({1}), {0}, {1}, prog, SlicePlan(), {}, context);
  // A row that no sequence writes goes to a place outside of the output.
  const Tensor target = map(graph,
                            pe::Select(pe::_1, pe::Const(static_cast<unsigned>(rows)),
                                       pe::Lt(pe::_2, pe::Const(static_cast<unsigned>(in.dim(0))))),
                            {row, taken}, prog, context);
  multiUpdate(graph, out, moved, target.expand({1}), {0}, {1}, prog, SlicePlan(), {}, context);
}

}  // namespace popops
