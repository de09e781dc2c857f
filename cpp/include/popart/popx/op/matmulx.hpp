// The lowering of MatMul. After popart/popx/op/matmulx.hpp of PopART 3.
#ifndef popart_popx_op_matmulx_hpp
#define popart_popx_op_matmulx_hpp

#include <popart/op/matmul.hpp>
#include <popart/popx/opx.hpp>
#include <poplar/OptionFlags.hpp>

#include <cstddef>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// For operators that derive from MatMulOp; MatMul itself has the compiler's lowering. The product
/// is numpy.matmul of both inputs.
class MatMulOpx : public Opx {
 public:
  MatMulOpx(Op* op, Devicex* devicex) : Opx(op, devicex) { verifyOp<MatMulOp>(op); }
  ~MatMulOpx() override;

  MatMulOp* getMatMulOp() const;
  void grow(poplar::program::Sequence& prog) const override;

  static std::vector<std::size_t> onnxShapeToPoplar(const Shape& shape);
  /// Sets the options of poplin::matMul that the operator asks for: fullyConnectedPass,
  /// availableMemoryProportion and partialsType.
  static void appendPoplarOptionsForOp(const MatMulBaseOp& op, poplar::OptionFlags& opts);
  static void addPartialsType(const MatMulPartialsType& partialsType, poplar::OptionFlags& opts);
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
