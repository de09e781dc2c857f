// The lowering of PrintTensor. After popart/popx/op/printtensorx.hpp of PopART 3.
#ifndef popart_popx_op_printtensorx_hpp
#define popart_popx_op_printtensorx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// For operators that derive from PrintTensorOp: a copy of the input, which is printed in the
/// operator's format if it should be.
class PrintTensorOpx : public Opx {
 public:
  PrintTensorOpx(Op* op, Devicex* devicex);
  ~PrintTensorOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
