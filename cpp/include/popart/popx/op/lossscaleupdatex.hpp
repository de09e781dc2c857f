// The lowering of LossScaleUpdate. After popart/popx/op/lossscaleupdatex.hpp of PopART 3.
#ifndef popart_popx_op_lossscaleupdatex_hpp
#define popart_popx_op_lossscaleupdatex_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class LossScaleUpdateOpx : public Opx {
 public:
  LossScaleUpdateOpx(Op* op, Devicex* devicex);
  ~LossScaleUpdateOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
