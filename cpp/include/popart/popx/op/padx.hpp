// Lowerings of Pad. After popart/popx/op/padx.hpp of PopART 3.
#ifndef popart_popx_op_padx_hpp
#define popart_popx_op_padx_hpp

#include <popart/op/pad.hpp>
#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// For operators that derive from BasePadOp.
class BasePadOpx : public Opx {
 public:
  BasePadOpx(Op* op, Devicex* devicex);
  ~BasePadOpx() override;

  const BasePadOp& getBasePadOp() const;
  /// The tensor with its dimensions flipped and padded, as the operator says: a copy, or, with
  /// `inPlaceAllowed`, a view of it beside what is added.
  poplar::Tensor padGrow(poplar::Tensor tensor, poplar::program::Sequence& prog,
                         bool inPlaceAllowed) const;
};

class PadOpx : public BasePadOpx {
 public:
  PadOpx(Op* op, Devicex* devicex);
  ~PadOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

class PadInplaceOpx : public BasePadOpx {
 public:
  PadInplaceOpx(Op* op, Devicex* devicex);
  ~PadInplaceOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
