// Decompositions and triangular systems, column by column.
#include <poplin/Cholesky.hpp>
#include <poplin/TriangularSolve.hpp>
#include <poplin/experimental/LuFactorization.hpp>
#include <poplin/experimental/QRFactorization.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <memory>
#include <string>

namespace poplin {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Sequence;
namespace pe = popops::expr;

bool isFloating(const poplar::Type& type) {
  return type == poplar::FLOAT || type == poplar::HALF || type == poplar::DOUBLE;
}

void checkSquare(const char* who, const poplar::Type& type, const std::vector<std::size_t>& shape) {
  const std::size_t rank = shape.size();
  if (isFloating(type) && rank >= 2 && shape[rank - 1] == shape[rank - 2]) return;
  std::string text;
  for (const std::size_t n : shape) text += (text.empty() ? "" : ", ") + std::to_string(n);
  throw poputil::poplibs_error(std::string("poplin::") + who + ": the matrix is " +
                               type.toString() + " [" + text +
                               "]; give FLOAT, HALF or DOUBLE [n, n] or [batches..., n, n]");
}

/// Matrices as [batch, rows, columns].
Tensor batched(const Tensor& t) {
  return t.rank() == 2 ? t.expand({0}) : t.flatten(0, t.rank() - 2);
}

/// A tensor of its own with the contents of `t`. HALF becomes FLOAT: many steps would round it.
Tensor working(Graph& graph, const Tensor& t, Sequence& prog, const DebugContext& context) {
  const poplar::Type type = t.elementType() == poplar::HALF ? poplar::FLOAT : t.elementType();
  const Tensor made =
      graph.addVariable(type, t.shape(), poplar::VariableMappingMethod::LINEAR, context);
  if (type == t.elementType())
    prog.add(Copy(t, made, false, context));
  else
    popops::castWithOutput(graph, t, made, prog, context);
  return made;
}

Tensor inType(Graph& graph, const Tensor& t, const poplar::Type& type, Sequence& prog,
              const DebugContext& context) {
  return t.elementType() == type ? t : popops::cast(graph, t, type, prog, context);
}

/// BOOL [rows, columns]: whether an element is kept. `diagonal` says whether the diagonal is.
Tensor triangle(Graph& graph, std::size_t rows, std::size_t columns, bool lower, bool diagonal,
                const DebugContext& context) {
  std::unique_ptr<bool[]> kept(new bool[rows * columns + 1]);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      kept[r * columns + c] = r == c ? diagonal : (r > c) == lower;
  const Tensor made = graph.addConstant(poplar::BOOL, {rows, columns}, kept.get(), context);
  graph.setTileMapping(made, 0u);
  return made;
}

/// `t` with zeros outside of a triangle.
Tensor masked(Graph& graph, const Tensor& t, bool lower, Sequence& prog,
              const DebugContext& context) {
  const unsigned last = t.rank() - 1;
  const Tensor kept = triangle(graph, t.dim(last - 1), t.dim(last), lower, true, context);
  const pe::Cast zero(pe::Const(0.0f), t.elementType());
  return popops::map(graph, pe::Select(pe::_1, zero, pe::_2), {t, kept}, prog, context);
}

Tensor column(const Tensor& t, std::size_t from, std::size_t to, std::size_t c) {
  return t.slice({0, from, c}, {t.dim(0), to, c + 1});
}

/// t[:, from:, from:] -= left x right, outer products of a column and a row of each matrix.
void subtractProduct(Graph& graph, const Tensor& t, const Tensor& left, const Tensor& right,
                     Sequence& prog, const DebugContext& context) {
  if (t.numElements() == 0) return;
  popops::mapInPlace(graph, pe::_1 - pe::_2 * pe::_3, {t, left, right}, prog, context);
}

/// L of each matrix of [batch, n, n], below the diagonal and on it.
void factorizeInPlace(Graph& graph, const Tensor& a, Sequence& prog, const DebugContext& context) {
  const std::size_t n = a.dim(1), batch = a.dim(0);
  for (std::size_t j = 0; j < n; ++j) {
    const Tensor below = column(a, j, n, j);
    const Tensor root = popops::sqrt(graph, column(a, j, j + 1, j), prog, context);
    popops::mapInPlace(graph, pe::_1 / pe::_2, {below, root}, prog, context);
    const Tensor rest = column(a, j + 1, n, j);
    subtractProduct(graph, a.slice({0, j + 1, j + 1}, {batch, n, n}), rest,
                    rest.dimShuffle({0, 2, 1}), prog, context);
  }
}

}  // namespace

// ---- Cholesky ----

std::vector<std::pair<MatMulParams, poplar::OptionFlags>> getCholeskyMatMulPrePlanParameters(
    const poplar::Type& type, const std::vector<std::size_t>& shape, bool, poplar::OptionFlags) {
  checkSquare("getCholeskyMatMulPrePlanParameters", type, shape);
  return {};
}

Tensor createCholeskyInput(Graph& graph, const poplar::Type& type,
                           const std::vector<std::size_t>& shape, bool,
                           const DebugContext& debugContext, const poplar::OptionFlags&,
                           PlanningCache*) {
  checkSquare("createCholeskyInput", type, shape);
  return graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, debugContext);
}

Tensor cholesky(Graph& graph, const Tensor& a, bool lower, Sequence& prog,
                const DebugContext& debugContext, poplar::OptionFlags, PlanningCache*) {
  checkSquare("cholesky", a.elementType(), a.shape());
  const DebugContext context(debugContext, "cholesky");
  // The upper triangle of A, transposed, is the lower one.
  const Tensor given = batched(a);
  const Tensor l = working(graph, lower ? given : given.dimShuffle({0, 2, 1}), prog, context);
  factorizeInPlace(graph, l, prog, context);
  Tensor made = masked(graph, l, true, prog, context);
  made = inType(graph, made, a.elementType(), prog, context);
  return (lower ? made : made.dimShuffle({0, 2, 1})).reshape(a.shape());
}

void choleskyInPlace(Graph& graph, const Tensor& a, bool lower, Sequence& prog,
                     const DebugContext& debugContext, poplar::OptionFlags options,
                     PlanningCache* cache) {
  prog.add(Copy(cholesky(graph, a, lower, prog, debugContext, options, cache), a, false,
                {debugContext, "cholesky"}));
}

// ---- Triangular systems ----

Tensor createTriangularSolveInputLHS(Graph& graph, const poplar::Type& inputType,
                                     const poplar::Type&, const std::vector<std::size_t>& aShape,
                                     const std::vector<std::size_t>&, bool,
                                     const DebugContext& debugContext, const poplar::OptionFlags&,
                                     PlanningCache*) {
  checkSquare("createTriangularSolveInputLHS", inputType, aShape);
  return graph.addVariable(inputType, aShape, poplar::VariableMappingMethod::LINEAR, debugContext);
}

Tensor createTriangularSolveInputRHS(Graph& graph, const poplar::Type& inputType,
                                     const poplar::Type&, const std::vector<std::size_t>&,
                                     const std::vector<std::size_t>& bShape, bool,
                                     const DebugContext& debugContext, const poplar::OptionFlags&,
                                     PlanningCache*) {
  return graph.addVariable(inputType, bShape, poplar::VariableMappingMethod::LINEAR, debugContext);
}

Tensor triangularMask(Graph& graph, const Tensor& a, bool lower, bool unitDiagonal, Sequence& prog,
                      const DebugContext& debugContext) {
  checkSquare("triangularMask", a.elementType(), a.shape());
  const DebugContext context(debugContext, "triangularMask");
  const Tensor kept = masked(graph, a, lower, prog, context);
  if (!unitDiagonal) return kept;
  const std::size_t n = a.dim(a.rank() - 1);
  // True off the diagonal.
  std::unique_ptr<bool[]> off(new bool[n * n + 1]);
  for (std::size_t i = 0; i < n * n; ++i) off[i] = i / n != i % n;
  const Tensor where = graph.addConstant(poplar::BOOL, {n, n}, off.get(), context);
  graph.setTileMapping(where, 0u);
  const pe::Cast one(pe::Const(1.0f), a.elementType());
  return popops::map(graph, pe::Select(pe::_1, one, pe::_2), {kept, where}, prog, context);
}

Tensor triangularSolve(Graph& graph, const Tensor& a, const Tensor& b, bool leftSide, bool lower,
                       bool unitDiagonal, Sequence& prog, const DebugContext& debugContext,
                       const poplar::OptionFlags&, PlanningCache*) {
  checkSquare("triangularSolve", a.elementType(), a.shape());
  const unsigned last = a.rank() - 1;
  const std::size_t n = a.dim(last);
  bool isAlike = b.rank() == a.rank() && b.elementType() == a.elementType() &&
                 b.dim(leftSide ? last - 1 : last) == n;
  for (unsigned d = 0; isAlike && d + 1 < last; ++d) isAlike = a.dim(d) == b.dim(d);
  if (!isAlike)
    throw poputil::poplibs_error("poplin::triangularSolve: A is " + a.elementType().toString() +
                                 " " + a.shapeToString() + ", B " + b.elementType().toString() +
                                 " " + b.shapeToString() +
                                 "; give one type, as many "
                                 "matrices, and " +
                                 (leftSide ? "rows" : "columns") + " of B as A has");
  const DebugContext context(debugContext, "triangularSolve");
  // X A = B is A^T X^T = B^T, where a lower triangle becomes an upper one.
  const auto turned = [&](const Tensor& t) {
    return leftSide ? batched(t) : batched(t).dimShuffle({0, 2, 1});
  };
  const bool forward = lower == leftSide;
  const Tensor m = working(graph, turned(a), prog, context);
  const Tensor x = working(graph, turned(b), prog, context);
  const std::size_t batch = m.dim(0), columns = x.dim(2);
  for (std::size_t step = 0; step < n; ++step) {
    const std::size_t i = forward ? step : n - 1 - step;
    const Tensor row = x.slice({0, i, 0}, {batch, i + 1, columns});
    if (!unitDiagonal)
      popops::mapInPlace(graph, pe::_1 / pe::_2, {row, column(m, i, i + 1, i)}, prog, context);
    const std::size_t from = forward ? i + 1 : 0, to = forward ? n : i;
    subtractProduct(graph, x.slice({0, from, 0}, {batch, to, columns}), column(m, from, to, i), row,
                    prog, context);
  }
  const Tensor made = inType(graph, x, b.elementType(), prog, context);
  return (leftSide ? made : made.dimShuffle({0, 2, 1})).reshape(b.shape());
}

std::vector<std::pair<MatMulParams, poplar::OptionFlags>> getTriangularSolveMatMulPrePlanParameters(
    const poplar::Type& inputType, const poplar::Type&, const std::vector<std::size_t>& aShape,
    const std::vector<std::size_t>&, bool, bool, const poplar::OptionFlags&) {
  checkSquare("getTriangularSolveMatMulPrePlanParameters", inputType, aShape);
  return {};
}

namespace experimental {

// ---- LU ----

std::pair<Tensor, Tensor> LUFactorization(Graph& graph, Tensor& input, Sequence& seq,
                                          const DebugContext& debugContext) {
  if (input.rank() != 2 || !isFloating(input.elementType()))
    throw poputil::poplibs_error("poplin::experimental::LUFactorization: the input is " +
                                 input.elementType().toString() + " " + input.shapeToString() +
                                 "; give FLOAT, HALF or DOUBLE [m, n]");
  const DebugContext context(debugContext, "LUFactorization");
  const std::size_t m = input.dim(0), n = input.dim(1);
  const Tensor u =
      graph.addVariable(poplar::FLOAT, {1, m, n}, poplar::VariableMappingMethod::LINEAR, context);
  popops::castWithOutput(graph, input.expand({0}), u, seq, context);
  const std::size_t steps = std::min(m, n);
  for (std::size_t j = 0; j + 1 < m && j < steps; ++j) {
    const Tensor factors = column(u, j + 1, m, j);
    popops::mapInPlace(graph, pe::_1 / pe::_2, {factors, column(u, j, j + 1, j)}, seq, context);
    subtractProduct(graph, u.slice({0, j + 1, j + 1}, {1, m, n}), factors,
                    u.slice({0, j, j + 1}, {1, j + 1, n}), seq, context);
  }
  // The factors stand below the diagonal of U: they are L.
  const Tensor both = u.squeeze({0});
  const Tensor square =
      graph.addVariable(poplar::FLOAT, {m, m}, poplar::VariableMappingMethod::LINEAR, context);
  popops::zero(graph, square, seq, context);
  seq.add(Copy(both.slice(0, steps, 1), square.slice(0, steps, 1), false, context));
  return {triangularMask(graph, square, true, true, seq, context),
          masked(graph, both, false, seq, context)};
}

// ---- QR ----

std::array<Tensor, 2> createQRFactorizationMatrices(Graph& graph, const poplar::Type& type,
                                                    const std::size_t m, const std::size_t n,
                                                    const DebugContext& debugContext) {
  if (m < n)
    throw poputil::poplibs_error(
        "poplin::experimental::createQRFactorizationMatrices: " + std::to_string(m) + " rows and " +
        std::to_string(n) + " columns; give at least as many rows");
  const auto made = [&](std::size_t columns, const char* name) {
    return graph.addVariable(type, {m, columns}, poplar::VariableMappingMethod::LINEAR,
                             {debugContext, name});
  };
  return {made(n, "A"), made(m, "Q")};
}

void QRFactorization(Graph& graph, Tensor& A, Tensor& Q, Sequence& prog,
                     const DebugContext& debugContext, const poplar::OptionFlags&) {
  if (A.rank() != 2 || Q.rank() != 2 || A.dim(0) < A.dim(1) || Q.dim(0) != A.dim(0) ||
      Q.dim(1) != A.dim(0) || A.elementType() != Q.elementType() || !isFloating(A.elementType()))
    throw poputil::poplibs_error("poplin::experimental::QRFactorization: A is " +
                                 A.elementType().toString() + " " + A.shapeToString() + ", Q " +
                                 Q.elementType().toString() + " " + Q.shapeToString() +
                                 "; give one type, [m, n] with m >= n, and [m, m]");
  const DebugContext context(debugContext, "QRFactorization");
  const std::size_t m = A.dim(0), n = A.dim(1);
  const Tensor a = working(graph, A, prog, context), q = working(graph, Q, prog, context);
  const auto sum = [&](const Tensor& t, std::size_t d) {
    return popops::reduce(graph, t, {d}, popops::Operation::ADD, prog, context);
  };
  for (std::size_t j = 0; j + 1 < m && j < n; ++j) {
    // The reflection that turns the rest of the column into its first element:
    // v = x + sign(x0) |x| e0, and t -> t - 2 v (v . t) / (v . v).
    const Tensor x = a.slice({j, j}, {m, j + 1}).flatten();
    const Tensor norm =
        popops::sqrt(graph, sum(popops::square(graph, x, prog, context), 0), prog, context);
    const Tensor v =
        graph.addVariable(a.elementType(), {m - j}, poplar::VariableMappingMethod::LINEAR, context);
    prog.add(Copy(x, v, false, context));
    const pe::Cast one(pe::Const(1.0f), a.elementType());
    const pe::Cast zero(pe::Const(0.0f), a.elementType());
    popops::mapInPlace(graph, pe::Select(pe::_1 - pe::_2, pe::_1 + pe::_2, pe::Lt(pe::_1, zero)),
                       {v.slice(0, 1), norm}, prog, context);
    const Tensor squares = sum(popops::square(graph, v, prog, context), 0);
    // A column of zeros is not reflected.
    const Tensor factor =
        popops::map(graph, pe::Select((one + one) / pe::_1, zero, pe::Gt(pe::_1, zero)), {squares},
                    prog, context);
    const Tensor rest = a.slice({j, j}, {m, n});
    const Tensor along = sum(popops::mul(graph, rest, v.expand({1}), prog, context), 0);
    popops::mapInPlace(graph, pe::_1 - pe::_2 * pe::_3 * pe::_4,
                       {rest, v.expand({1}), along.expand({0}), factor}, prog, context);
    const Tensor right = q.slice({0, j}, {m, m});
    const Tensor across = sum(popops::mul(graph, right, v.expand({0}), prog, context), 1);
    popops::mapInPlace(graph, pe::_1 - pe::_2 * pe::_3 * pe::_4,
                       {right, across.expand({1}), v.expand({0}), factor}, prog, context);
  }
  const Tensor r = masked(graph, a, false, prog, context);
  prog.add(Copy(inType(graph, r, A.elementType(), prog, context), A, false, context));
  prog.add(Copy(inType(graph, q, Q.elementType(), prog, context), Q, false, context));
}

}  // namespace experimental
}  // namespace poplin
