// popops/ElementWise.hpp: expressions applied to every element of tensors.
//
// For each row of ExprOp.hpp there are three functions: add(graph, A, B, prog) makes a new tensor,
// addInPlace writes its first operand, addWithOutput writes the tensor named after the operands.
// Where a binary operator takes a tensor it takes a C++ number too, which becomes a Const.
//
// Shapes are matched as numpy matches them: from the last dimension, where a 1 stretches.
// All of them take `options`, those that `popir options` lists as popops.map.
// \throws poputil::poplibs_error where types or shapes do not fit, saying which.
#ifndef popops_ElementWise_hpp
#define popops_ElementWise_hpp

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popops/Expr.hpp>
#include <string>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default)

namespace popops {

/// A new tensor of `expr` over the elements of `ts`, where _1 is ts[0]. Its shape is that of the
/// tensors used, matched; its tile mapping that of the operand best suited (ElementWiseUtil.hpp).
poplar::Tensor map(poplar::Graph& graph, const expr::Expr& expr,
                   const std::vector<poplar::Tensor>& ts, poplar::program::Sequence& prog,
                   const poplar::DebugContext& debugContext = {},
                   const poplar::OptionFlags& options = {});
/// One new tensor for each expression, all over the same `ts`.
std::vector<poplar::Tensor> map(poplar::Graph& graph, const std::vector<expr::Any>& exprs,
                                const std::vector<poplar::Tensor>& ts,
                                poplar::program::Sequence& prog,
                                const poplar::DebugContext& debugContext = {},
                                const poplar::OptionFlags& options = {});

/// Writes ts[0], which must have the type and the matched shape of the result.
void mapInPlace(poplar::Graph& graph, const expr::Expr& expr, const std::vector<poplar::Tensor>& ts,
                poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                const poplar::OptionFlags& options = {});
/// Expression i writes ts[i]; all of them read what was there before.
void mapInPlace(poplar::Graph& graph, const std::vector<expr::Any>& exprs,
                const std::vector<poplar::Tensor>& ts, poplar::program::Sequence& prog,
                const poplar::DebugContext& debugContext = {},
                const poplar::OptionFlags& options = {});

/// Writes `out`, which must have the type and the matched shape of the result.
void mapWithOutput(poplar::Graph& graph, const expr::Expr& expr,
                   const std::vector<poplar::Tensor>& ts, const poplar::Tensor& out,
                   poplar::program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                   const poplar::OptionFlags& options = {});
/// Expression i writes outs[i]; all of them read what was there before.
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

#undef POPOPS_TAIL
#undef POPOPS_TENSOR
#undef POPOPS_NUMBER

}  // namespace popops

#pragma GCC visibility pop

#endif
