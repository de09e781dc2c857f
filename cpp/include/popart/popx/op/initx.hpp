// The lowering of Init. After popart/popx/op/initx.hpp of PopART 3.
#ifndef popart_popx_op_initx_hpp
#define popart_popx_op_initx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// For operators that derive from InitOp: a variable, with zeros if the operator says so.
class InitOpx : public Opx {
 public:
  InitOpx(Op* op, Devicex* devicex);
  ~InitOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
