// The base of updates of variables. After popart/popx/op/varupdatex.hpp of PopART 3.
#ifndef popart_popx_op_varupdatex_hpp
#define popart_popx_op_varupdatex_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class VarUpdateOpx : public Opx {
 public:
  VarUpdateOpx(Op* op, Devicex* devicex) : Opx(op, devicex) {}
  ~VarUpdateOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
