// The remainder, with the sign of the dividend. After popart/popx/op/fmodx.hpp of PopART 3.
#ifndef popart_popx_op_fmodx_hpp
#define popart_popx_op_fmodx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class FmodOpx : public ElementWiseBinaryOpx {
 public:
  FmodOpx(Op* op, Devicex* devicex);
  ~FmodOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
