// Element-wise operations and expressions. After popops/ElementWise.hpp of PopLibs 3.
//
// Each row of ExprOp.hpp makes three functions: add(graph, A, B, prog) returns a new tensor,
// addInPlace() writes its first operand, and addWithOutput() writes the given tensor. Binary
// operators also take a C++ number for a tensor; it becomes a Const.
//
// Shapes are broadcast by numpy's rules. `popir options` lists the supported `options` under
// popops.map.
// \throws poputil::poplibs_error if types or shapes do not match
#ifndef popops_ElementWise_hpp
#define popops_ElementWise_hpp

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popops/Expr.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default)

namespace popops {

/// Whether a number of the host may be an operand beside a tensor of this type: its own type, for float
/// and double FLOAT and HALF.
/// \throws poputil::poplibs_error if not
template <class T>
void checkTypes(poplar::Type elementType, T) {
  const bool isFloat = std::is_same<T, float>::value || std::is_same<T, double>::value;
  if (isFloat ? elementType == poplar::FLOAT || elementType == poplar::HALF
              : elementType == poplar::Type(poplar::equivalent_device_type<T>::kind))
    return;
  throw poputil::poplibs_error("popops: a number of the host stands beside a tensor of " +
                               elementType.toString() + ", which has another type; convert it");
}

/// Returns a new tensor with `expr` evaluated for each element of `ts`; _1 is ts[0]. Its shape is
/// the broadcast shape of the tensors used. createOutputForElementWiseOp() (ElementWiseUtil.hpp)
/// chooses its tile mapping.
poplar::Tensor map(poplar::Graph& graph, const expr::Expr& expr,
                   const std::vector<poplar::Tensor>& ts, poplar::program::Sequence& prog,
                   const poplar::DebugContext& debugContext = {},
                   const poplar::OptionFlags& options = {});
/// Returns one new tensor per expression, all over the same `ts`.
std::vector<poplar::Tensor> map(poplar::Graph& graph, const std::vector<expr::Any>& exprs,
                                const std::vector<poplar::Tensor>& ts,
                                poplar::program::Sequence& prog,
                                const poplar::DebugContext& debugContext = {},
                                const poplar::OptionFlags& options = {});

/// Writes the result to ts[0], which must have its type and shape.
void mapInPlace(poplar::Graph& graph, const expr::Expr& expr, const std::vector<poplar::Tensor>& ts,
                poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                const poplar::OptionFlags& options = {});
/// Writes the result of expression i to ts[i]. All expressions read the old values.
void mapInPlace(poplar::Graph& graph, const std::vector<expr::Any>& exprs,
                const std::vector<poplar::Tensor>& ts, poplar::program::Sequence& prog,
                const poplar::DebugContext& debugContext = {},
                const poplar::OptionFlags& options = {});

/// Writes the result to `out`, which must have its type and shape.
void mapWithOutput(poplar::Graph& graph, const expr::Expr& expr,
                   const std::vector<poplar::Tensor>& ts, const poplar::Tensor& out,
                   poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                   const poplar::OptionFlags& options = {});
/// Writes the result of expression i to outs[i]. All expressions read the old values.
void mapWithOutput(poplar::Graph& graph, const std::vector<expr::Any>& exprs,
                   const std::vector<poplar::Tensor>& ts, const std::vector<poplar::Tensor>& outs,
                   poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                   const poplar::OptionFlags& options = {});

#define POPOPS_TAIL                \
  poplar::program::Sequence &prog, \
      const poplar::DebugContext &debugContext = {}, const poplar::OptionFlags &options = {}
#define POPOPS_TENSOR const poplar::Tensor&
#define POPOPS_NUMBER(T) \
  typename T, typename = typename std::enable_if<poplar::TypeTraits::isSimpleType<T>()>::type

inline poplar::Tensor map(poplar::Graph& graph, expr::UnaryOpType op, POPOPS_TENSOR t,
                          POPOPS_TAIL) {
  return map(graph, expr::UnaryOp(op, expr::_1), {t}, prog, debugContext, options);
}
inline poplar::Tensor map(poplar::Graph& graph, expr::BinaryOpType op, POPOPS_TENSOR a,
                          POPOPS_TENSOR b, POPOPS_TAIL) {
  return map(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, prog, debugContext, options);
}
inline poplar::Tensor map(poplar::Graph& graph, expr::TernaryOpType op, POPOPS_TENSOR a,
                          POPOPS_TENSOR b, POPOPS_TENSOR c, POPOPS_TAIL) {
  return map(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, prog,
             debugContext, options);
}
inline void mapInPlace(poplar::Graph& graph, expr::UnaryOpType op, POPOPS_TENSOR t, POPOPS_TAIL) {
  mapInPlace(graph, expr::UnaryOp(op, expr::_1), {t}, prog, debugContext, options);
}
inline void mapInPlace(poplar::Graph& graph, expr::BinaryOpType op, POPOPS_TENSOR a,
                       POPOPS_TENSOR b, POPOPS_TAIL) {
  mapInPlace(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, prog, debugContext, options);
}
inline void mapInPlace(poplar::Graph& graph, expr::TernaryOpType op, POPOPS_TENSOR a,
                       POPOPS_TENSOR b, POPOPS_TENSOR c, POPOPS_TAIL) {
  mapInPlace(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, prog,
             debugContext, options);
}
inline void mapWithOutput(poplar::Graph& graph, expr::UnaryOpType op, POPOPS_TENSOR in,
                          POPOPS_TENSOR out, POPOPS_TAIL) {
  mapWithOutput(graph, expr::UnaryOp(op, expr::_1), {in}, out, prog, debugContext, options);
}
inline void mapWithOutput(poplar::Graph& graph, expr::BinaryOpType op, POPOPS_TENSOR a,
                          POPOPS_TENSOR b, POPOPS_TENSOR out, POPOPS_TAIL) {
  mapWithOutput(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, out, prog, debugContext,
                options);
}
inline void mapWithOutput(poplar::Graph& graph, expr::TernaryOpType op, POPOPS_TENSOR a,
                          POPOPS_TENSOR b, POPOPS_TENSOR c, POPOPS_TENSOR out, POPOPS_TAIL) {
  mapWithOutput(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, out, prog,
                debugContext, options);
}

#define POPOPS_UNARY_FUNCTIONS(NODE, OP, FUNCTION)                                           \
  inline poplar::Tensor FUNCTION(poplar::Graph& graph, POPOPS_TENSOR A, POPOPS_TAIL) {       \
    return map(graph, expr::UnaryOpType::OP, A, prog, debugContext, options);                \
  }                                                                                          \
  inline void FUNCTION##InPlace(poplar::Graph& graph, POPOPS_TENSOR A, POPOPS_TAIL) {        \
    mapInPlace(graph, expr::UnaryOpType::OP, A, prog, debugContext, options);                \
  }                                                                                          \
  inline void FUNCTION##WithOutput(poplar::Graph& graph, POPOPS_TENSOR A, POPOPS_TENSOR out, \
                                   POPOPS_TAIL) {                                            \
    mapWithOutput(graph, expr::UnaryOpType::OP, A, out, prog, debugContext, options);        \
  }
POPOPS_EXPR_UNARY_OPS(POPOPS_UNARY_FUNCTIONS)
#undef POPOPS_UNARY_FUNCTIONS

#define POPOPS_BINARY_FUNCTIONS(NODE, OP, FUNCTION)                                              \
  inline poplar::Tensor FUNCTION(poplar::Graph& graph, POPOPS_TENSOR A, POPOPS_TENSOR B,         \
                                 POPOPS_TAIL) {                                                  \
    return map(graph, expr::BinaryOpType::OP, A, B, prog, debugContext, options);                \
  }                                                                                              \
  template <POPOPS_NUMBER(T)>                                                                    \
  poplar::Tensor FUNCTION(poplar::Graph& graph, POPOPS_TENSOR A, const T B, POPOPS_TAIL) {       \
    return map(graph, expr::NODE(expr::_1, expr::Const(B)), {A}, prog, debugContext, options);   \
  }                                                                                              \
  template <POPOPS_NUMBER(T)>                                                                    \
  poplar::Tensor FUNCTION(poplar::Graph& graph, const T A, POPOPS_TENSOR B, POPOPS_TAIL) {       \
    return map(graph, expr::NODE(expr::Const(A), expr::_1), {B}, prog, debugContext, options);   \
  }                                                                                              \
  inline void FUNCTION##InPlace(poplar::Graph& graph, POPOPS_TENSOR A, POPOPS_TENSOR B,          \
                                POPOPS_TAIL) {                                                   \
    mapInPlace(graph, expr::BinaryOpType::OP, A, B, prog, debugContext, options);                \
  }                                                                                              \
  template <POPOPS_NUMBER(T)>                                                                    \
  void FUNCTION##InPlace(poplar::Graph& graph, POPOPS_TENSOR A, const T B, POPOPS_TAIL) {        \
    mapInPlace(graph, expr::NODE(expr::_1, expr::Const(B)), {A}, prog, debugContext, options);   \
  }                                                                                              \
  inline void FUNCTION##WithOutput(poplar::Graph& graph, POPOPS_TENSOR A, POPOPS_TENSOR B,       \
                                   POPOPS_TENSOR out, POPOPS_TAIL) {                             \
    mapWithOutput(graph, expr::BinaryOpType::OP, A, B, out, prog, debugContext, options);        \
  }                                                                                              \
  template <POPOPS_NUMBER(T)>                                                                    \
  void FUNCTION##WithOutput(poplar::Graph& graph, POPOPS_TENSOR A, const T B, POPOPS_TENSOR out, \
                            POPOPS_TAIL) {                                                       \
    mapWithOutput(graph, expr::NODE(expr::_1, expr::Const(B)), {A}, out, prog, debugContext,     \
                  options);                                                                      \
  }                                                                                              \
  template <POPOPS_NUMBER(T)>                                                                    \
  void FUNCTION##WithOutput(poplar::Graph& graph, const T A, POPOPS_TENSOR B, POPOPS_TENSOR out, \
                            POPOPS_TAIL) {                                                       \
    mapWithOutput(graph, expr::NODE(expr::Const(A), expr::_1), {B}, out, prog, debugContext,     \
                  options);                                                                      \
  }
POPOPS_EXPR_BINARY_OPS(POPOPS_BINARY_FUNCTIONS)
#undef POPOPS_BINARY_FUNCTIONS

#define POPOPS_TERNARY_FUNCTIONS(NODE, OP, FUNCTION)                                          \
  inline poplar::Tensor FUNCTION(poplar::Graph& graph, POPOPS_TENSOR A, POPOPS_TENSOR B,      \
                                 POPOPS_TENSOR C, POPOPS_TAIL) {                              \
    return map(graph, expr::TernaryOpType::OP, A, B, C, prog, debugContext, options);         \
  }                                                                                           \
  inline void FUNCTION##InPlace(poplar::Graph& graph, POPOPS_TENSOR A, POPOPS_TENSOR B,       \
                                POPOPS_TENSOR C, POPOPS_TAIL) {                               \
    mapInPlace(graph, expr::TernaryOpType::OP, A, B, C, prog, debugContext, options);         \
  }                                                                                           \
  inline void FUNCTION##WithOutput(poplar::Graph& graph, POPOPS_TENSOR A, POPOPS_TENSOR B,    \
                                   POPOPS_TENSOR C, POPOPS_TENSOR out, POPOPS_TAIL) {         \
    mapWithOutput(graph, expr::TernaryOpType::OP, A, B, C, out, prog, debugContext, options); \
  }
POPOPS_EXPR_TERNARY_OPS(POPOPS_TERNARY_FUNCTIONS)
#undef POPOPS_TERNARY_FUNCTIONS

/// 1 / sqrt(src + epsilon), of type `dstType`, which is that of `src`, or HALF.
/// \param src the variance, of any shape
/// \param epsilon one element of the type of `src`
/// \throws poputil::poplibs_error for another `dstType`, and another type or size of `epsilon`
/// As in PopLibs, a call with a float and nothing behind `prog` gives HALF.
poplar::Tensor varianceToInvStdDev(poplar::Graph& graph, POPOPS_TENSOR src, POPOPS_TENSOR epsilon,
                                   poplar::program::Sequence& prog, const poplar::Type dstType,
                                   const poplar::DebugContext& debugContext = {});
poplar::Tensor varianceToInvStdDev(poplar::Graph& graph, POPOPS_TENSOR src, const float epsilon,
                                   poplar::program::Sequence& prog,
                                   const poplar::Type dstType = poplar::HALF,
                                   const poplar::DebugContext& debugContext = {});
/// 1 / src^2 - epsilon, of type `dstType`, which is that of `src`, or FLOAT.
/// \param src the inverse standard deviation, of any shape
/// \param epsilon one element of the type of `src`
/// \throws poputil::poplibs_error for another `dstType`, and another type or size of `epsilon`
/// As in PopLibs, a call with a float and nothing behind `prog` gives FLOAT.
poplar::Tensor invStdDevToVariance(poplar::Graph& graph, POPOPS_TENSOR src, POPOPS_TENSOR epsilon,
                                   poplar::program::Sequence& prog, const poplar::Type dstType,
                                   const poplar::DebugContext& debugContext = {});
poplar::Tensor invStdDevToVariance(poplar::Graph& graph, POPOPS_TENSOR src, const float epsilon,
                                   poplar::program::Sequence& prog,
                                   const poplar::Type dstType = poplar::FLOAT,
                                   const poplar::DebugContext& debugContext = {});

#undef POPOPS_TAIL
#undef POPOPS_TENSOR
#undef POPOPS_NUMBER

}  // namespace popops

#pragma GCC visibility pop

#endif
