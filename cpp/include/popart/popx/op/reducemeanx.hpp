// The mean over dimensions. After popart/popx/op/reducemeanx.hpp of PopART 3.
#ifndef popart_popx_op_reducemeanx_hpp
#define popart_popx_op_reducemeanx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Of an operator of ReduceOp's class.
class ReduceMeanOpx : public Opx {
 public:
  ReduceMeanOpx(Op* op, Devicex* devicex);
  ~ReduceMeanOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

/// The gradient, of that of the output alone. Of an operator of ReduceGradOp's class.
class ReduceMeanGradOpx : public Opx {
 public:
  ReduceMeanGradOpx(Op* op, Devicex* devicex);
  ~ReduceMeanGradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
