// The largest element over dimensions. After popart/popx/op/reducemaxx.hpp of PopART 3.
#ifndef popart_popx_op_reducemaxx_hpp
#define popart_popx_op_reducemaxx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Of an operator of ReduceOp's class.
class ReduceMaxOpx : public Opx {
 public:
  ReduceMaxOpx(Op* op, Devicex* devicex);
  ~ReduceMaxOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

/// The gradient, of that of the output and the input and the output of the operator. Of an operator of ReduceGradOp's class.
class ReduceMaxGradOpx : public Opx {
 public:
  ReduceMaxGradOpx(Op* op, Devicex* devicex);
  ~ReduceMaxGradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
