// Lowerings of operators of two tensors.
#include <popart/popx/op/addx.hpp>
#include <popart/popx/op/andx.hpp>
#include <popart/popx/op/atan2x.hpp>
#include <popart/popx/op/bitwisex.hpp>
#include <popart/popx/op/divx.hpp>
#include <popart/popx/op/equalx.hpp>
#include <popart/popx/op/fmodx.hpp>
#include <popart/popx/op/greaterx.hpp>
#include <popart/popx/op/lessx.hpp>
#include <popart/popx/op/mulx.hpp>
#include <popart/popx/op/orx.hpp>
#include <popart/popx/op/powx.hpp>
#include <popart/popx/op/prelux.hpp>
#include <popart/popx/op/subtractx.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>

#include <map>
#include <memory>
#include <string>

namespace popart {
namespace popx {

#define PLAIN(NAME, BASE, OPERATION)                                                      \
  NAME::NAME(Op* op, Devicex* devicex) : BASE(op, devicex) {}                             \
  NAME::~NAME() = default;                                                                \
  void NAME::grow(poplar::program::Sequence& prog) const {                                \
    setOutTensor(0, popops::map(graph(), popops::expr::BinaryOpType::OPERATION,           \
                                getInTensor(0).getPoplarTensor(),                         \
                                getInTensor(1).getPoplarTensor(), prog, debugContext())); \
  }
#define COMPUTED(NAME, OPERATION)                                                                \
  NAME##Computex::NAME##Computex(EwbComputex::InplacePolicy policy) : EwbComputex(policy) {}     \
  NAME##Computex::~NAME##Computex() = default;                                                   \
  poplar::Tensor NAME##Computex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph, \
                                          const poplar::Tensor& a, const poplar::Tensor& b,      \
                                          const poplar::DebugNameAndId& dnai,                    \
                                          const std::string& name) const {                       \
    return popops::map(graph, popops::expr::BinaryOpType::OPERATION, a, b, prog, {dnai, name});  \
  }                                                                                              \
  poplar::Tensor NAME##Computex::maybeInplace(                                                   \
      poplar::program::Sequence& prog, poplar::Graph& graph, poplar::Tensor& tInOut,             \
      poplar::Tensor& tIn, const poplar::DebugNameAndId& dnai, const std::string& name) const {  \
    return mapMaybeInPlace(graph, popops::expr::BinaryOpType::OPERATION, tInOut, tIn, prog,      \
                           {dnai, name}, {}, name);                                              \
  }                                                                                              \
  NAME##Opx::NAME##Opx(Op* op, Devicex* devicex)                                                 \
      : ElementWiseBinaryOutplaceOpx(                                                            \
            op, devicex, std::make_unique<NAME##Computex>(EwbComputex::InplacePolicy::NEVER)) {} \
  NAME##Opx::~NAME##Opx() = default;
#define VARIANT(NAME, SIDE, POLICY)                                                               \
  NAME##SIDE##InplaceOpx::NAME##SIDE##InplaceOpx(Op* op, Devicex* devicex)                        \
      : ElementWiseBinaryInplaceOpx(                                                              \
            op, devicex, std::make_unique<NAME##Computex>(EwbComputex::InplacePolicy::POLICY)) {} \
  NAME##SIDE##InplaceOpx::~NAME##SIDE##InplaceOpx() = default;

PLAIN(AndOpx, BinaryComparisonOpx, LOGICAL_AND)
PLAIN(OrOpx, BinaryComparisonOpx, LOGICAL_OR)
PLAIN(EqualOpx, BinaryComparisonOpx, EQUAL)
PLAIN(GreaterOpx, BinaryComparisonOpx, GREATER_THAN)
PLAIN(LessOpx, BinaryComparisonOpx, LESS_THAN)
PLAIN(DivOpx, ElementWiseBinaryOpx, DIVIDE)
PLAIN(FmodOpx, ElementWiseBinaryOpx, REMAINDER)
PLAIN(SubtractOpx, ElementWiseBinaryOpx, SUBTRACT)
COMPUTED(Add, ADD)
VARIANT(Add, Lhs, LHS)
VARIANT(Add, Rhs, RHS)
COMPUTED(Mul, MULTIPLY)
VARIANT(Mul, Lhs, LHS)
VARIANT(Mul, Rhs, RHS)
COMPUTED(Pow, POWER)
VARIANT(Pow, Lhs, LHS)
COMPUTED(Atan2, ATAN2)
VARIANT(Atan2, Lhs, LHS)

#undef PLAIN
#undef COMPUTED
#undef VARIANT

PReluOpx::PReluOpx(Op* op, Devicex* devicex) : ElementWiseBinaryOpx(op, devicex) {}
PReluOpx::~PReluOpx() = default;

void PReluOpx::grow(poplar::program::Sequence& prog) const {
  using namespace popops::expr;
  setOutTensor(0, popops::map(graph(), Select(Mul(_1, _2), _1, Lt(_1, Const(0.0f))),
                              {getInTensor(0).getPoplarTensor(), getInTensor(1).getPoplarTensor()},
                              prog, debugContext()));
}

BitwiseNotOpx::BitwiseNotOpx(Op* op, Devicex* devicex) : ElementWiseUnaryOpx(op, devicex) {}
BitwiseNotOpx::~BitwiseNotOpx() = default;
BitwiseBinaryOpx::BitwiseBinaryOpx(Op* op, Devicex* devicex) : ElementWiseBinaryOpx(op, devicex) {}
BitwiseBinaryOpx::~BitwiseBinaryOpx() = default;

void BitwiseNotOpx::grow(poplar::program::Sequence& prog) const {
  setOutTensor(0,
               popops::bitwiseNot(graph(), getInTensor(0).getPoplarTensor(), prog, debugContext()));
}

void BitwiseBinaryOpx::grow(poplar::program::Sequence& prog) const {
  using popops::expr::BinaryOpType;
  static const std::map<std::string, BinaryOpType> operations = {
      {"BitwiseAnd", BinaryOpType::BITWISE_AND},
      {"BitwiseOr", BinaryOpType::BITWISE_OR},
      {"BitwiseXor", BinaryOpType::BITWISE_XOR},
      {"BitwiseXnor", BinaryOpType::BITWISE_XNOR}};
  const auto found = operations.find(op_p->opid.type);
  if (found == operations.end())
    throw error("The Opx of {} expects BitwiseAnd, BitwiseOr, BitwiseXor or BitwiseXnor",
                op_p->debugName());
  setOutTensor(0, popops::map(graph(), found->second, getInTensor(0).getPoplarTensor(),
                              getInTensor(1).getPoplarTensor(), prog, debugContext()));
}

}  // namespace popx
}  // namespace popart
