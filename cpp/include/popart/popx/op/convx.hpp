// Lowerings of parts of convolutions. After popart/popx/op/convx.hpp of PopART 3.
#ifndef popart_popx_op_convx_hpp
#define popart_popx_op_convx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Lowers a ConvFlipWeightsOp, forward or gradient: a view of the weights, copied.
class ConvFlipWeightsGradOpx : public Opx {
 public:
  /// \throws error if the operator is none
  ConvFlipWeightsGradOpx(Op* op, Devicex* devicex);
  ~ConvFlipWeightsGradOpx() override;
  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
