// Lowerings of Where. After popart/popx/op/wherex.hpp of PopART 3.
#ifndef popart_popx_op_wherex_hpp
#define popart_popx_op_wherex_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Elements of input 1 where input 0 is true, else of input 2, broadcast.
class WhereOpx : public Opx {
 public:
  WhereOpx(Op* op, Devicex* devicex);
  ~WhereOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

/// The gradient of the output where the condition chose this input, else 0, added up over what was
/// broadcast.
class WhereXGradOpx : public Opx {
 public:
  WhereXGradOpx(Op* op, Devicex* devicex);
  ~WhereXGradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

class WhereYGradOpx : public Opx {
 public:
  WhereYGradOpx(Op* op, Devicex* devicex);
  ~WhereYGradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
