// Lowerings of unary operators that are one operation of PopLibs'.
#include <popart/popx/op/absx.hpp>
#include <popart/popx/op/asinx.hpp>
#include <popart/popx/op/atanx.hpp>
#include <popart/popx/op/ceilx.hpp>
#include <popart/popx/op/cosx.hpp>
#include <popart/popx/op/erfx.hpp>
#include <popart/popx/op/expm1x.hpp>
#include <popart/popx/op/expx.hpp>
#include <popart/popx/op/floorx.hpp>
#include <popart/popx/op/isinfx.hpp>
#include <popart/popx/op/isnanx.hpp>
#include <popart/popx/op/log1px.hpp>
#include <popart/popx/op/logx.hpp>
#include <popart/popx/op/nearbyintx.hpp>
#include <popart/popx/op/negatex.hpp>
#include <popart/popx/op/notx.hpp>
#include <popart/popx/op/reciprocalx.hpp>
#include <popart/popx/op/relux.hpp>
#include <popart/popx/op/roundx.hpp>
#include <popart/popx/op/sigmoidx.hpp>
#include <popart/popx/op/signx.hpp>
#include <popart/popx/op/sinx.hpp>
#include <popart/popx/op/sqrtx.hpp>
#include <popart/popx/op/squarex.hpp>
#include <popops/ElementWise.hpp>

namespace popart {
namespace popx {

#define UNARY(NAME, OPERATION)                                                                   \
  poplar::Tensor NAME##Computex::outplace(                                                       \
      poplar::program::Sequence& prog, poplar::Graph& graph, const poplar::Tensor& tensor,       \
      const poplar::DebugNameAndId& dnai, const std::string& name) const {                       \
    return popops::map(graph, popops::expr::UnaryOpType::OPERATION, tensor, prog, {dnai, name}); \
  }                                                                                              \
  void NAME##Computex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,            \
                               const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai, \
                               const std::string& name) const {                                  \
    popops::mapInPlace(graph, popops::expr::UnaryOpType::OPERATION, tensor, prog, {dnai, name}); \
  }                                                                                              \
  CLASSES(NAME)
#define CLASSES(NAME)                                                      \
  NAME##Computex::~NAME##Computex() = default;                             \
  NAME##Opx::NAME##Opx(Op* op, Devicex* devicex)                           \
      : ElementWiseUnaryOutplaceOpx(op, devicex, NAME##Computex::get()) {} \
  NAME##Opx::~NAME##Opx() = default;                                       \
  NAME##InplaceOpx::NAME##InplaceOpx(Op* op, Devicex* devicex)             \
      : ElementWiseUnaryInplaceOpx(op, devicex, NAME##Computex::get()) {}  \
  NAME##InplaceOpx::~NAME##InplaceOpx() = default;
#define PLAIN(NAME, OPERATION)                                                                 \
  NAME::NAME(Op* op, Devicex* devicex) : ElementWiseUnaryOpx(op, devicex) {}                   \
  NAME::~NAME() = default;                                                                     \
  void NAME::grow(poplar::program::Sequence& prog) const {                                     \
    setOutTensor(0, popops::map(graph(), popops::expr::UnaryOpType::OPERATION, getInTensor(0), \
                                prog, debugContext()));                                        \
  }

UNARY(Asin, ASIN)
UNARY(Ceil, CEIL)
UNARY(Expm1, EXPONENT_MINUS_ONE)
UNARY(Exp, EXPONENT)
UNARY(Floor, FLOOR)
UNARY(Log1p, LOGARITHM_ONE_PLUS)
UNARY(NearbyInt, NEARBY_INT)
UNARY(Round, ROUND)
UNARY(Relu, RELU)
UNARY(Sigmoid, SIGMOID)
UNARY(Sign, SIGNUM)
PLAIN(AbsOpx, ABSOLUTE)
PLAIN(CosOpx, COS)
PLAIN(ErfxOpx, ERF)
PLAIN(LogOpx, LOGARITHM)
PLAIN(NotOpx, LOGICAL_NOT)
PLAIN(SinOpx, SIN)
PLAIN(SqrtOpx, SQRT)
PLAIN(SquareOpx, SQUARE)
PLAIN(IsInfx, IS_INF)
PLAIN(IsNaNx, IS_NAN)
PLAIN(ReciprocalOpx, INVERSE)
PLAIN(NegateOpx, NEGATE)
PLAIN(NegateGradOpx, NEGATE)

// Poplar has no arc tangent of one number.

poplar::Tensor AtanComputex::outplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                                      const poplar::Tensor& tensor,
                                      const poplar::DebugNameAndId& dnai,
                                      const std::string& name) const {
  using namespace popops::expr;
  return popops::map(graph, Atan2(_1, Const(1.0f)), {tensor}, prog, {dnai, name});
}

void AtanComputex::inplace(poplar::program::Sequence& prog, poplar::Graph& graph,
                           const poplar::Tensor& tensor, const poplar::DebugNameAndId& dnai,
                           const std::string& name) const {
  using namespace popops::expr;
  popops::mapInPlace(graph, Atan2(_1, Const(1.0f)), {tensor}, prog, {dnai, name});
}

CLASSES(Atan)

#undef CLASSES
#undef UNARY
#undef PLAIN

}  // namespace popx
}  // namespace popart
