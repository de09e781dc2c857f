// Lowerings of Tanh. After popart/popx/op/tanhx.hpp of PopART 3.
#ifndef popart_popx_op_tanhx_hpp
#define popart_popx_op_tanhx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class TanhOpx : public ElementWiseUnaryOpx {
 public:
  TanhOpx(Op* op, Devicex* devicex);
  ~TanhOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

/// The gradient of the output, input 0, by the output, input 1. Of a class of TanhGradOp.
class TanhGradOpx : public ElementWiseUnaryOpx {
 public:
  TanhGradOpx(Op* op, Devicex* devicex);
  ~TanhGradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
