// popops::splineBasis and splineWeighting, of other functions.
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/SplineBasis.hpp>
#include <popops/SplineWeighting.hpp>
#include <poputil/exceptions.hpp>

#include <string>
#include <vector>

namespace popops {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;
namespace pe = popops::expr;

// The pieces of the B-splines of each degree that are not zero between two knots: coefficients of 1,
// v, v^2 and v^3, v being the place between the knots.
const std::vector<std::vector<std::vector<float>>>& pieces() {
  static const std::vector<std::vector<std::vector<float>>> all = {
      {},
      {{1, -1}, {0, 1}},
      {{0.5f, -1, 0.5f}, {0.5f, 1, -1}, {0, 0, 0.5f}},
      {{1.0f / 6, -0.5f, 0.5f, -1.0f / 6},
       {2.0f / 3, 0, -1, 0.5f},
       {1.0f / 6, 0.5f, 0.5f, -0.5f},
       {0, 0, 0, 1.0f / 6}}};
  return all;
}

void require(bool holds, const char* who, const std::string& what) {
  if (!holds) throw poputil::poplibs_error(std::string("popops::") + who + ": " + what);
}
void requireRank(const char* who, const char* name, const Tensor& t, unsigned rank) {
  require(t.rank() == rank, who,
          std::string(name) + " is " + t.shapeToString() + "; expected " + std::to_string(rank) +
              (rank == 1 ? " dimension" : " dimensions"));
}
void requireType(const char* who, const char* name, const Tensor& t, const poplar::Type& type) {
  require(
      t.elementType() == type, who,
      std::string(name) + " is " + t.elementType().toString() + "; expected " + type.toString());
}
void requireReal(const char* who, const char* name, const Tensor& t) {
  require(t.elementType() == poplar::FLOAT || t.elementType() == poplar::HALF, who,
          std::string(name) + " is " + t.elementType().toString() + "; expected float or half");
}

/// All combinations of the columns of two tensors, those of `fast` counting fastest.
Tensor combined(Graph& graph, const pe::Expr& how, const Tensor& slow, const Tensor& fast,
                Sequence& prog, const DebugContext& debugContext) {
  const auto points = slow.dim(0), m = slow.dim(1), n = fast.dim(1);
  return map(graph, how, {slow.reshape({points, m, 1}), fast.reshape({points, 1, n})}, prog,
             debugContext)
      .reshape({points, m * n});
}

}  // namespace

void splineBasis(Graph& graph, const Tensor& pseudo, const Tensor& kernelSize,
                 const Tensor& isOpenSpline, const Tensor& basis, const Tensor& weightIndex,
                 unsigned degree, Sequence& prog, const DebugContext& debugContext) {
  const char* const who = "splineBasis";
  require(degree >= 1 && degree <= 3, who,
          "a degree of " + std::to_string(degree) + "; expected 1, 2 or 3");
  requireRank(who, "pseudo", pseudo, 2);
  requireRank(who, "kernelSize", kernelSize, 1);
  requireRank(who, "isOpenSpline", isOpenSpline, 1);
  requireReal(who, "pseudo", pseudo);
  requireType(who, "kernelSize", kernelSize, poplar::INT);
  requireType(who, "isOpenSpline", isOpenSpline, poplar::UNSIGNED_CHAR);
  requireType(who, "basis", basis, pseudo.elementType());
  requireType(who, "weightIndex", weightIndex, poplar::INT);
  const auto points = pseudo.dim(0), dims = pseudo.dim(1);
  require(kernelSize.dim(0) == dims && isOpenSpline.dim(0) == dims, who,
          "kernelSize has " + std::to_string(kernelSize.dim(0)) + " and isOpenSpline " +
              std::to_string(isOpenSpline.dim(0)) + " elements; expected " + std::to_string(dims) +
              ", as pseudo has dimensions");
  std::size_t splines = 1;
  for (std::size_t d = 0; d < dims; ++d) splines *= degree + 1;
  const std::vector<std::size_t> shape{points, splines};
  require(basis.shape() == shape && weightIndex.shape() == shape, who,
          "basis is " + basis.shapeToString() + " and weightIndex " + weightIndex.shapeToString() +
              "; expected twice [points, (degree + 1) ^ dimensions]");

  const Tensor open = popops::cast(graph, isOpenSpline, poplar::INT, prog, debugContext);
  const auto intervals = pe::Cast(
      pe::Sub(pe::_2, pe::Mul(pe::_3, pe::Const(static_cast<int>(degree)))), poplar::FLOAT);
  const Tensor scaled = map(graph, pe::Mul(pe::Cast(pe::_1, poplar::FLOAT), intervals),
                            {pseudo, kernelSize.expand({0}), open.expand({0})}, prog, debugContext);
  const Tensor place = map(graph, pe::Sub(pe::_1, pe::Floor(pe::_1)), {scaled}, prog, debugContext);
  const Tensor first =
      map(graph, pe::Cast(pe::Floor(pe::_1), poplar::INT), {scaled}, prog, debugContext);

  std::vector<Tensor> parts, numbers;
  for (std::size_t k = 0; k <= degree; ++k) {
    const auto& c = pieces()[degree][k];
    Tensor value =
        map(graph, pe::Add(pe::Mul(pe::_1, pe::Const(c[degree])), pe::Const(c[degree - 1])),
            {place}, prog, debugContext);
    for (unsigned i = degree - 1; i-- > 0;)
      value = map(graph, pe::Add(pe::Mul(pe::_1, pe::_2), pe::Const(c[i])), {value, place}, prog,
                  debugContext);
    parts.push_back(value);
    numbers.push_back(map(graph, pe::Rem(pe::Add(pe::_1, pe::Const(static_cast<int>(k))), pe::_2),
                          {first, kernelSize.expand({0})}, prog, debugContext));
  }
  Tensor products, index, stride;
  for (std::size_t d = 0; d < dims; ++d) {
    std::vector<Tensor> values, weights;
    for (std::size_t k = 0; k <= degree; ++k) {
      values.push_back(parts[k].slice(d, d + 1, 1));
      weights.push_back(numbers[k].slice(d, d + 1, 1));
    }
    const Tensor value = poplar::concat(values, 1), weight = poplar::concat(weights, 1);
    const Tensor size = kernelSize.slice(d, d + 1);
    if (d == 0) {
      products = value;
      index = weight;
      stride = size;
      continue;
    }
    const Tensor far = mul(graph, weight, stride.expand({0}), prog, debugContext);
    products = combined(graph, pe::Mul(pe::_1, pe::_2), value, products, prog, debugContext);
    index = combined(graph, pe::Add(pe::_1, pe::_2), far, index, prog, debugContext);
    stride = mul(graph, stride, size, prog, debugContext);
  }
  if (dims == 0) return;
  castWithOutput(graph, products, basis, prog, debugContext);
  prog.add(poplar::program::Copy(index, weightIndex, false, debugContext));
}

Tensor splineWeighting(Graph& graph, const Tensor& input, const Tensor& weight, const Tensor& basis,
                       const Tensor& weightIndex, Sequence& prog,
                       const DebugContext& debugContext) {
  const char* const who = "splineWeighting";
  requireRank(who, "input", input, 2);
  requireRank(who, "weight", weight, 3);
  requireRank(who, "basis", basis, 2);
  requireRank(who, "weightIndex", weightIndex, 2);
  requireReal(who, "input", input);
  requireType(who, "weight", weight, input.elementType());
  requireType(who, "basis", basis, input.elementType());
  requireType(who, "weightIndex", weightIndex, poplar::INT);
  const auto points = input.dim(0), inputs = input.dim(1);
  const auto weights = weight.dim(0), outputs = weight.dim(2), splines = basis.dim(1);
  require(
      weight.dim(1) == inputs && basis.dim(0) == points && basis.shape() == weightIndex.shape(),
      who,
      "input is " + input.shapeToString() + ", weight " + weight.shapeToString() + ", basis " +
          basis.shapeToString() + " and weightIndex " + weightIndex.shapeToString() +
          "; expected [points, inputs], [weights, inputs, outputs] and twice [points, splines]");
  // Of all weights each point multiplies those of its splines alone.
  const Tensor picked =
      multiSlice(graph, weight.reshape({weights, inputs * outputs}),
                 weightIndex.flatten().reinterpret(poplar::UNSIGNED_INT).expand({1}), {0}, {1},
                 prog, SlicePlan(), {}, debugContext)
          .reshape({points, splines, inputs, outputs});
  const Tensor factors =
      mul(graph, input.reshape({points, 1, inputs}), basis.expand({2}), prog, debugContext);
  const Tensor products = mul(graph, picked, factors.expand({3}), prog, debugContext);
  return reduce(graph, products, {1, 2}, Operation::ADD, prog, debugContext);
}

}  // namespace popops
