// The lowering of ModifyRandomSeed. After popart/popx/op/modifyrandomseedx.hpp of PopART 3.
#ifndef popart_popx_op_modifyrandomseedx_hpp
#define popart_popx_op_modifyrandomseedx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class ModifyRandomSeedOpx : public Opx {
 public:
  ModifyRandomSeedOpx(Op* op, Devicex* devicex);
  ~ModifyRandomSeedOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
