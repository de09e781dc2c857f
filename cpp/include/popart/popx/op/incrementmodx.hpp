// Lowerings of IncrementMod. After popart/popx/op/incrementmodx.hpp of PopART 3.
#ifndef popart_popx_op_incrementmodx_hpp
#define popart_popx_op_incrementmodx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// (x + increment) modulo modulus, in the type of x.
class IncrementModOpx : public ElementWiseUnaryOpx {
 public:
  IncrementModOpx(Op* op, Devicex* devicex);
  ~IncrementModOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

class IncrementModInplaceOpx : public ElementWiseUnaryOpx {
 public:
  IncrementModInplaceOpx(Op* op, Devicex* devicex);
  ~IncrementModInplaceOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
