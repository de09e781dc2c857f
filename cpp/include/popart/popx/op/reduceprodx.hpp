// The product over dimensions. After popart/popx/op/reduceprodx.hpp of PopART 3.
#ifndef popart_popx_op_reduceprodx_hpp
#define popart_popx_op_reduceprodx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Of an operator of ReduceOp's class.
class ReduceProdOpx : public Opx {
 public:
  ReduceProdOpx(Op* op, Devicex* devicex);
  ~ReduceProdOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

/// The gradient, of that of the output and the input and the output of the operator. Of an operator of ReduceGradOp's class.
class ReduceProdGradOpx : public Opx {
 public:
  ReduceProdGradOpx(Op* op, Devicex* devicex);
  ~ReduceProdGradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
