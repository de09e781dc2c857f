// Lowerings of Restore. After popart/popx/op/restorex.hpp of PopART 3.
#ifndef popart_popx_op_restorex_hpp
#define popart_popx_op_restorex_hpp

#include <popart/op/restore.hpp>
#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Base of lowerings that read the next place of a stash, in the order in which it is filled.
template <typename Derived>
class RestoreBaseOpx : public Opx {
 public:
  /// \throws error if the operator is no Derived::OpType
  RestoreBaseOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {
    verifyOp<typename Derived::OpType>(op);
  }
  void grow(poplar::program::Sequence& prog) const override = 0;

 protected:
  /// What is in the place; the operator's next execution reads the next one.
  poplar::Tensor growRestore(poplar::program::Sequence& prog, const poplar::Tensor& stash) const;
};

class RestoreOpx final : public RestoreBaseOpx<RestoreOpx> {
 public:
  using OpType = RestoreOp;
  RestoreOpx(Op* op, Devicex* devicex);
  ~RestoreOpx() override;
  void grow(poplar::program::Sequence& prog) const final;
};

/// Writes it over the tensor that was stashed.
class RestoreInplaceOpx final : public RestoreBaseOpx<RestoreInplaceOpx> {
 public:
  using OpType = RestoreInplaceOp;
  RestoreInplaceOpx(Op* op, Devicex* devicex);
  ~RestoreInplaceOpx() override;
  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
