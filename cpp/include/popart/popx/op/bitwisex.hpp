// Logic of the bits of integers. After popart/popx/op/bitwisex.hpp of PopART 3.
#ifndef popart_popx_op_bitwisex_hpp
#define popart_popx_op_bitwisex_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class BitwiseNotOpx : public ElementWiseUnaryOpx {
 public:
  BitwiseNotOpx(Op* op, Devicex* devicex);
  ~BitwiseNotOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

/// By the type of the operator: BitwiseAnd, BitwiseOr, BitwiseXor or BitwiseXnor.
class BitwiseBinaryOpx : public ElementWiseBinaryOpx {
 public:
  BitwiseBinaryOpx(Op* op, Devicex* devicex);
  ~BitwiseBinaryOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
