// A tensor that passes no gradient on. After popart/popx/op/detachx.hpp of PopART 3.
#ifndef popart_popx_op_detachx_hpp
#define popart_popx_op_detachx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// A copy.
class DetachOpx : public ElementWiseUnaryOpx {
 public:
  DetachOpx(Op* op, Devicex* devicex);
  ~DetachOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

/// The input itself.
class DetachInplaceOpx : public ElementWiseUnaryOpx {
 public:
  DetachInplaceOpx(Op* op, Devicex* devicex);
  ~DetachInplaceOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
