// Lowerings of CumSum. After popart/popx/op/cumsumx.hpp of PopART 3.
#ifndef popart_popx_op_cumsumx_hpp
#define popart_popx_op_cumsumx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// For operators that derive from CumSumOp, and from its gradient.
class CumSumOpx : public Opx {
 public:
  CumSumOpx(Op* op, Devicex* devicex);
  ~CumSumOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

class CumSumGradOpx : public Opx {
 public:
  CumSumGradOpx(Op* op, Devicex* devicex);
  ~CumSumGradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
