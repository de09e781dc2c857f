#include <poplin/MatMul.hpp>
#include <poputil/exceptions.hpp>

#include "kernels/half.hpp"
#include "poplar/planned_layout.hpp"
#include "poplar/tile_mapping.hpp"
#include "poplin/contraction_options.hpp"

namespace poplin {
namespace {

using poplar::Tensor;
using Shape = std::vector<std::size_t>;

[[noreturn]] void refuse(const char* who, const Shape& a, const Shape& b, const std::string& why) {
  throw poputil::poplibs_error(std::string(who) + ": A is " + popir::shapeText(a) + " and B " +
                               popir::shapeText(b) + "; " + why);
}

void checkShapes(const char* who, const Shape& a, const Shape& b, std::size_t rank) {
  if (a.size() != rank || b.size() != rank)
    refuse(who, a, b, "expected " + std::to_string(rank) + " dimensions in each");
  if (rank == 3 && a[0] != b[0]) refuse(who, a, b, "expected as many groups in both");
  if (a[rank - 1] != b[rank - 2]) refuse(who, a, b, "expected as many columns in A as rows in B");
}

Shape resultShape(const Shape& a, const Shape& b) {
  Shape shape = a;
  shape.back() = b.back();
  return shape;
}

bool multiplied(const poplar::Type& type) {
  for (const auto& t :
       {poplar::FLOAT, poplar::HALF, poplar::BFLOAT16, poplar::DOUBLE, poplar::SHORT, poplar::INT,
        poplar::UNSIGNED_INT, poplar::LONGLONG, poplar::UNSIGNED_LONGLONG})
    if (t == type) return true;
  return false;
}

/// Whether products of such elements have their results in `out` though it is another type.
bool widens(const poplar::Type& in, const poplar::Type& out) {
  return (popir::isFloatOrHalf(in) && popir::isFloatOrHalf(out)) ||
         (in == poplar::SHORT && out == poplar::INT);
}

void checkTypes(const char* who, const Tensor& a, const Tensor& b, const poplar::Type& out) {
  const auto in = popir::contracted(a.elementType());
  const std::string given = "; A is " + a.elementType().toString() + ", B " +
                            b.elementType().toString() + ", the result " + out.toString();
  if (a.elementType() != b.elementType())
    throw poputil::poplibs_error(std::string(who) + ": expected one type of A and B" + given);
  if (!multiplied(in))
    throw poputil::poplibs_error(
        std::string(who) +
        ": expected float, half, bfloat16, quarter, double or an integer of 16, 32 or 64 bits" +
        given);
  if (widens(in, out)) return;
  if (in != out || in == poplar::SHORT)
    throw poputil::poplibs_error(std::string(who) +
                                 ": the result has the type of A, or both are of float, half and "
                                 "bfloat16; that of short is int" +
                                 given);
}

/// [rows, columns] as [1, rows, columns].
Tensor grouped(const Tensor& t) { return t.rank() == 2 ? t.expand({0}) : t; }

struct Call {
  const char* who;
  const poplar::DebugContext& debugContext;
  const poplar::OptionFlags& options;
  PlanningCache* cache;
};

popir::MatMulKernel::Problem problemOf(const poplar::Type& in, const poplar::Type& out,
                                       const Shape& a, const Shape& b,
                                       const popir::MachineOptions& options) {
  const auto size = [](const Shape& s, std::size_t fromRight) {
    return static_cast<std::int64_t>(s[s.size() - fromRight]);
  };
  popir::MatMulKernel::Problem problem;
  problem.options = options;
  problem.inType = popir::contracted(in);
  problem.outType = out;
  problem.groups = a.size() == 3 ? size(a, 3) : 1;
  problem.m = size(a, 2);
  problem.k = size(a, 1);
  problem.n = size(b, 1);
  return problem;
}

/// C = k * A * B, or C += k * A * B if `accumulate`.
void multiply(poplar::Graph& graph, const Tensor& a, const Tensor& b, const Tensor& c, float k,
              bool accumulate, poplar::program::Sequence& prog, const Call& call) {
  checkTypes(call.who, a, b, c.elementType());
  const auto expected = resultShape(a.shape(), b.shape());
  if (c.shape() != expected)
    refuse(call.who, a.shape(), b.shape(),
           "the result is " + popir::shapeText(c.shape()) + ", expected " +
               popir::shapeText(expected));
  if (c.intersectsWith(a) || c.intersectsWith(b)) {
    // Written in place, an element of the result would be an operand of others.
    const Tensor beside = graph.clone(c, call.debugContext);
    if (accumulate) prog.add(poplar::program::Copy(c, beside, false, call.debugContext));
    multiply(graph, a, b, beside, k, accumulate, prog, call);
    prog.add(poplar::program::Copy(beside, c, false, call.debugContext));
    return;
  }
  const Tensor a3 = grouped(a), b3 = grouped(b), c3 = grouped(c);
  auto problem = problemOf(a.elementType(), c.elementType(), a3.shape(), b3.shape(),
                           popir::matMulOptions(call.who, call.options));
  problem.alpha = k;
  problem.accumulate = accumulate;
  popir::addContraction(graph, prog, popir::plan(problem, call.cache),
                        {{a3, popir::Access::Read},
                         {b3, popir::Access::Read},
                         {c3, accumulate ? popir::Access::ReadWrite : popir::Access::Write}},
                        call.debugContext);
}

enum class Operand { Left, Right, Result };  // operand numbers of MatMulKernel

/// Creates a variable with the layout of the product's plan.
Tensor create(poplar::Graph& graph, Operand role, const popir::MatMulKernel::Problem& problem,
              const poplar::Type& inputType, const poplar::Type& type, const Shape& shape,
              const poplar::DebugContext& debugContext) {
  const auto t = graph.addVariable(type, shape, debugContext);
  popir::mapByPlan(graph, t, popir::layoutWork(graph, popir::MatMulKernel(problem), inputType),
                   static_cast<std::size_t>(role));
  return t;
}

Tensor product(poplar::Graph& graph, const Tensor& a, const Tensor& b, std::size_t rank,
               const poplar::Type& type, poplar::program::Sequence& prog, const Call& call) {
  checkShapes(call.who, a.shape(), b.shape(), rank);
  checkTypes(call.who, a, b, type);
  const auto out =
      create(graph, Operand::Result,
             problemOf(a.elementType(), type, a.shape(), b.shape(),
                       popir::matMulOptions(call.who, call.options)),
             a.elementType(), type, resultShape(a.shape(), b.shape()), call.debugContext);
  multiply(graph, a, b, out, 1.0f, false, prog, call);
  return out;
}

Tensor createFor(const char* who, Operand role, std::size_t rank, poplar::Graph& graph,
                 const poplar::Type& inputType, const poplar::Type& outputType, const Shape& a,
                 const Shape& b, const poplar::DebugContext& debugContext,
                 const poplar::OptionFlags& options) {
  checkShapes(who, a, b, rank);
  const auto problem = problemOf(inputType, outputType, a, b, popir::matMulOptions(who, options));
  const bool result = role == Operand::Result;
  return create(graph, role, problem, inputType, result ? outputType : inputType,
                result                  ? resultShape(a, b)
                : role == Operand::Left ? a
                                        : b,
                debugContext);
}

}  // namespace
}  // namespace poplin

void popir::planAhead(const poplin::MatMulParams& params, const poplar::OptionFlags& options,
                      poplin::PlanningCache& cache) {
  const char* const who = "poplin::preplan";
  poplin::checkShapes(who, params.aShape, params.bShape, params.aShape.size() == 3 ? 3 : 2);
  plan(poplin::problemOf(params.inputType, params.outputType, params.aShape, params.bShape,
                         matMulOptions(who, options)),
       &cache);
}

namespace poplin {

Tensor matMul(poplar::Graph& graph, const Tensor& A, const Tensor& B,
              poplar::program::Sequence& prog, const poplar::Type& outputType,
              const poplar::DebugContext& debugContext, const poplar::OptionFlags& options,
              PlanningCache* cache) {
  return product(graph, A, B, 2, outputType, prog,
                 {"poplin::matMul", debugContext, options, cache});
}

Tensor matMul(poplar::Graph& graph, const Tensor& A, const Tensor& B,
              poplar::program::Sequence& prog, const poplar::DebugContext& debugContext,
              const poplar::OptionFlags& options, PlanningCache* cache) {
  return matMul(graph, A, B, prog, A.elementType(), debugContext, options, cache);
}

void matMulWithOutput(poplar::Graph& graph, const Tensor& A, const Tensor& B, Tensor& out,
                      poplar::program::Sequence& prog, const poplar::DebugContext& debugContext,
                      const poplar::OptionFlags& options, PlanningCache* cache) {
  const char* const who = "poplin::matMulWithOutput";
  checkShapes(who, A.shape(), B.shape(), 2);
  multiply(graph, A, B, out, 1.0f, false, prog, {who, debugContext, options, cache});
}

Tensor matMulGrouped(poplar::Graph& graph, const Tensor& A, const Tensor& B,
                     poplar::program::Sequence& prog, const poplar::Type& outputType,
                     const poplar::DebugContext& debugContext, const poplar::OptionFlags& options,
                     PlanningCache* cache) {
  return product(graph, A, B, 3, outputType, prog,
                 {"poplin::matMulGrouped", debugContext, options, cache});
}

void matMulGroupedWithOutput(poplar::Graph& graph, const Tensor& A, const Tensor& B, Tensor& out,
                             poplar::program::Sequence& prog,
                             const poplar::DebugContext& debugContext,
                             const poplar::OptionFlags& options, PlanningCache* cache) {
  const char* const who = "poplin::matMulGroupedWithOutput";
  checkShapes(who, A.shape(), B.shape(), 3);
  multiply(graph, A, B, out, 1.0f, false, prog, {who, debugContext, options, cache});
}

void matMulAcc(poplar::Graph& graph, const Tensor& C, float k, const Tensor& A, const Tensor& B,
               poplar::program::Sequence& prog, const poplar::DebugContext& debugContext,
               const poplar::OptionFlags& options, PlanningCache* cache) {
  const char* const who = "poplin::matMulAcc";
  checkShapes(who, A.shape(), B.shape(), 2);
  multiply(graph, A, B, C, k, true, prog, {who, debugContext, options, cache});
}

void matMulGroupedAcc(poplar::Graph& graph, const Tensor& C, float k, const Tensor& A,
                      const Tensor& B, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext, const poplar::OptionFlags& options,
                      PlanningCache* cache) {
  const char* const who = "poplin::matMulGroupedAcc";
  checkShapes(who, A.shape(), B.shape(), 3);
  multiply(graph, A, B, C, k, true, prog, {who, debugContext, options, cache});
}

Tensor createMatMulInputLHS(poplar::Graph& graph, const poplar::Type& inputType,
                            const poplar::Type& outputType, const Shape& aShape,
                            const Shape& bShape, const poplar::DebugContext& debugContext,
                            const poplar::OptionFlags& options, PlanningCache*) {
  return createFor("poplin::createMatMulInputLHS", Operand::Left, 2, graph, inputType, outputType,
                   aShape, bShape, debugContext, options);
}

Tensor createMatMulInputLHS(poplar::Graph& graph, const poplar::Type& dataType, const Shape& aShape,
                            const Shape& bShape, const poplar::DebugContext& debugContext,
                            const poplar::OptionFlags& options, PlanningCache* cache) {
  return createMatMulInputLHS(graph, dataType, dataType, aShape, bShape, debugContext, options,
                              cache);
}

Tensor createMatMulInputRHS(poplar::Graph& graph, const poplar::Type& inputType,
                            const poplar::Type& outputType, const Shape& aShape,
                            const Shape& bShape, const poplar::DebugContext& debugContext,
                            const poplar::OptionFlags& options, PlanningCache*) {
  return createFor("poplin::createMatMulInputRHS", Operand::Right, 2, graph, inputType, outputType,
                   aShape, bShape, debugContext, options);
}

Tensor createMatMulInputRHS(poplar::Graph& graph, const poplar::Type& dataType, const Shape& aShape,
                            const Shape& bShape, const poplar::DebugContext& debugContext,
                            const poplar::OptionFlags& options, PlanningCache* cache) {
  return createMatMulInputRHS(graph, dataType, dataType, aShape, bShape, debugContext, options,
                              cache);
}

Tensor createMatMulOutput(poplar::Graph& graph, const poplar::Type& inputType,
                          const poplar::Type& outputType, const Shape& aShape, const Shape& bShape,
                          const poplar::DebugContext& debugContext,
                          const poplar::OptionFlags& options, PlanningCache*) {
  return createFor("poplin::createMatMulOutput", Operand::Result, 2, graph, inputType, outputType,
                   aShape, bShape, debugContext, options);
}

Tensor createMatMulGroupedInputLHS(poplar::Graph& graph, const poplar::Type& inputType,
                                   const poplar::Type& outputType, const Shape& aShape,
                                   const Shape& bShape, const poplar::DebugContext& debugContext,
                                   const poplar::OptionFlags& options, PlanningCache*) {
  return createFor("poplin::createMatMulGroupedInputLHS", Operand::Left, 3, graph, inputType,
                   outputType, aShape, bShape, debugContext, options);
}

Tensor createMatMulGroupedInputRHS(poplar::Graph& graph, const poplar::Type& inputType,
                                   const poplar::Type& outputType, const Shape& aShape,
                                   const Shape& bShape, const poplar::DebugContext& debugContext,
                                   const poplar::OptionFlags& options, PlanningCache*) {
  return createFor("poplin::createMatMulGroupedInputRHS", Operand::Right, 3, graph, inputType,
                   outputType, aShape, bShape, debugContext, options);
}

Tensor createMatMulGroupedOutput(poplar::Graph& graph, const poplar::Type& inputType,
                                 const poplar::Type& outputType, const Shape& aShape,
                                 const Shape& bShape, const poplar::DebugContext& debugContext,
                                 const poplar::OptionFlags& options, PlanningCache*) {
  return createFor("poplin::createMatMulGroupedOutput", Operand::Result, 3, graph, inputType,
                   outputType, aShape, bShape, debugContext, options);
}

Tensor preArrangeMatMulInputRHS(poplar::Graph& graph, const Shape& aShape, const Tensor& B,
                                poplar::program::Sequence& prog,
                                const poplar::DebugContext& debugContext,
                                const poplar::OptionFlags& options, PlanningCache*) {
  const char* const who = "poplin::preArrangeMatMulInputRHS";
  checkShapes(who, aShape, B.shape(), 2);
  const auto parsed = popir::matMulOptions(who, options);
  if (!parsed.preArranged || parsed.layer != popir::ContractionWork::Layer::Backward) return B;
  const auto arranged = createFor(who, Operand::Right, 2, graph, B.elementType(), B.elementType(),
                                  aShape, B.shape(), debugContext, options);
  prog.add(poplar::program::Copy(B, arranged, false, debugContext));
  return arranged;
}

Tensor transposeGroupedMatrix(const Tensor& A) {
  if (A.rank() != 3)
    throw poputil::poplibs_error(
        "poplin::transposeGroupedMatrix: expected [groups, rows, columns], got " +
        popir::shapeText(A.shape()));
  return A.dimShuffle({0, 2, 1});
}

void matmulValidateOptions(const poplar::OptionFlags& options) {
  popir::matMulOptions("poplin::matmulValidateOptions", options);
}

}  // namespace poplin
