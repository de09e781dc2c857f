// Lowerings of AddBias. After popart/popx/op/addbiasx.hpp of PopART 3.
#ifndef popart_popx_op_addbiasx_hpp
#define popart_popx_op_addbiasx_hpp

#include <popart/popx/op/reducesumx.hpp>
#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// The data [samples, channels, ...] with a number for each channel added: a copy, or in place.
class AddBiasOpx : public Opx {
 public:
  AddBiasOpx(Op* op, Devicex* devicex);
  ~AddBiasOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

class AddBiasInplaceOpx : public AddBiasOpx {
 public:
  AddBiasInplaceOpx(Op* op, Devicex* devicex);
  ~AddBiasInplaceOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

class AddBiasDataGradOpx : public Opx {
 public:
  AddBiasDataGradOpx(Op* op, Devicex* devicex);
  ~AddBiasDataGradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

class AddBiasBiasGradOpx : public ReduceSumOpx {
 public:
  AddBiasBiasGradOpx(Op* op, Devicex* devicex);
  ~AddBiasBiasGradOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
