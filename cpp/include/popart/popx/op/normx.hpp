// The base of lowerings of normalizations. After popart/popx/op/normx.hpp of PopART 3.
#ifndef popart_popx_op_normx_hpp
#define popart_popx_op_normx_hpp

#include <popart/popx/eitheropx.hpp>
#include <poplar/Type.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// A class of one's own that derives from this is as EitherOpx says.
class NormOpx : public EitherOpx {
 public:
  NormOpx(Op* op, Devicex* devicex) : EitherOpx(op, devicex) {}
  ~NormOpx() override;

 protected:
  /// 1 / invSd^2 - epsilon, computed in the type of `invSd`.
  poplar::Tensor convertInvSdToVar(poplar::program::Sequence& prog, const poplar::Tensor& invSd,
                                   float epsilon, const poplar::Type dstType) const;
  /// 1 / sqrt(var + epsilon), computed in the type of `var`.
  poplar::Tensor convertVarToInvSd(poplar::program::Sequence& prog, const poplar::Tensor& var,
                                   float epsilon, const poplar::Type dstType) const;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
