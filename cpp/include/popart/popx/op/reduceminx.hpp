// The least element over dimensions. After popart/popx/op/reduceminx.hpp of PopART 3.
#ifndef popart_popx_op_reduceminx_hpp
#define popart_popx_op_reduceminx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Of an operator of ReduceOp's class.
class ReduceMinOpx : public Opx {
 public:
  ReduceMinOpx(Op* op, Devicex* devicex);
  ~ReduceMinOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

/// The gradient, of that of the output and the input and the output of the operator. Of an operator of ReduceGradOp's class.
class ReduceMinGradOpx : public Opx {
 public:
  ReduceMinGradOpx(Op* op, Devicex* devicex);
  ~ReduceMinGradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
