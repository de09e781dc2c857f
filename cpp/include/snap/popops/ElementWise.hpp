// Popops/ElementWise.hpp for snap's tensors.
// After snap/popops/ElementWise.hpp of PopART 2.3 to 3.1.
#ifndef snap_popops_ElementWise_hpp
#define snap_popops_ElementWise_hpp

#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <snap/Graph.hpp>
#include <snap/Program.hpp>
#include <snap/Tensor.hpp>

#include <vector>

namespace snap {
namespace popops {

namespace expr = ::popops::expr;

inline Tensor map(Graph& graph, const expr::Expr& expression, const std::vector<Tensor>& ts,
                  program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                  const poplar::OptionFlags& options = {}) {
  return {::popops::map(graph.getPoplarGraph(), expression, getPoplarTensors(ts),
                        prog.getPoplarSequence(), debugContext, options),
          graph};
}

inline void mapInPlace(Graph& graph, const expr::Expr& expression, const std::vector<Tensor>& ts,
                       program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                       const poplar::OptionFlags& options = {}) {
  ::popops::mapInPlace(graph.getPoplarGraph(), expression, getPoplarTensors(ts),
                       prog.getPoplarSequence(), debugContext, options);
}

// Overloads that take an operator in place of an expression.

inline Tensor map(Graph& graph, expr::UnaryOpType op, const Tensor& a, program::Sequence& prog,
                  const poplar::DebugContext& debugContext = {},
                  const poplar::OptionFlags& options = {}) {
  return map(graph, expr::UnaryOp(op, expr::_1), {a}, prog, debugContext, options);
}

inline Tensor map(Graph& graph, expr::BinaryOpType op, const Tensor& a, const Tensor& b,
                  program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                  const poplar::OptionFlags& options = {}) {
  return map(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, prog, debugContext, options);
}

inline void mapInPlace(Graph& graph, expr::UnaryOpType op, const Tensor& a, program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {},
                       const poplar::OptionFlags& options = {}) {
  mapInPlace(graph, expr::UnaryOp(op, expr::_1), {a}, prog, debugContext, options);
}

inline void mapInPlace(Graph& graph, expr::BinaryOpType op, const Tensor& a, const Tensor& b,
                       program::Sequence& prog, const poplar::DebugContext& debugContext = {},
                       const poplar::OptionFlags& options = {}) {
  mapInPlace(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, prog, debugContext, options);
}

inline void addInPlace(Graph& graph, const Tensor& a, const Tensor& b, program::Sequence& prog,
                       const poplar::DebugContext& debugContext = {},
                       const poplar::OptionFlags& options = {}) {
  mapInPlace(graph, expr::BinaryOpType::ADD, a, b, prog, debugContext, options);
}

}  // namespace popops
}  // namespace snap

#endif
