// Lowerings of the L1 loss. After popart/popx/op/l1x.hpp of PopART 3.
#ifndef popart_popx_op_l1x_hpp
#define popart_popx_op_l1x_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// lambda times the absolute values, reduced as the operator says; of a class of L1Op.
class L1Opx : public Opx {
 public:
  L1Opx(Op* op, Devicex* devicex);
  ~L1Opx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

/// Of a class of L1GradOp.
class L1GradOpx : public Opx {
 public:
  L1GradOpx(Op* op, Devicex* devicex);
  ~L1GradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
