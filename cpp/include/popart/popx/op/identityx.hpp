// A tensor as it is. After popart/popx/op/identityx.hpp of PopART 3.
#ifndef popart_popx_op_identityx_hpp
#define popart_popx_op_identityx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// A copy.
class IdentityOpx : public ElementWiseUnaryOpx {
 public:
  IdentityOpx(Op* op, Devicex* devicex);
  ~IdentityOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

/// The input itself.
class IdentityInplaceOpx : public Opx {
 public:
  IdentityInplaceOpx(Op* op, Devicex* devicex);
  ~IdentityInplaceOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

/// A copy.
class IdentityGradOpx : public ElementWiseUnaryOpx {
 public:
  IdentityGradOpx(Op* op, Devicex* devicex);
  ~IdentityGradOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
