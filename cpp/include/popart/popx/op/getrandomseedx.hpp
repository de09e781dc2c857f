// The lowering of GetRandomSeed. After popart/popx/op/getrandomseedx.hpp of PopART 3.
#ifndef popart_popx_op_getrandomseedx_hpp
#define popart_popx_op_getrandomseedx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class GetRandomSeedOpx : public Opx {
 public:
  GetRandomSeedOpx(Op* op, Devicex* devicex);
  ~GetRandomSeedOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
