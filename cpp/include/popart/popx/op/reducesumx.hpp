// The sum over dimensions. After popart/popx/op/reducesumx.hpp of PopART 3.
#ifndef popart_popx_op_reducesumx_hpp
#define popart_popx_op_reducesumx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Of an operator of ReduceOp's class.
class ReduceSumOpx : public Opx {
 public:
  ReduceSumOpx(Op* op, Devicex* devicex);
  ~ReduceSumOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

/// The gradient, of that of the output alone. Of an operator of ReduceGradOp's class.
class ReduceSumGradOpx : public Opx {
 public:
  ReduceSumGradOpx(Op* op, Devicex* devicex);
  ~ReduceSumGradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
