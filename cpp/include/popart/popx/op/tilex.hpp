// Lowerings of Tile. After popart/popx/op/tilex.hpp of PopART 3.
#ifndef popart_popx_op_tilex_hpp
#define popart_popx_op_tilex_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// The input as often as the output has it, and the gradient, which adds up. Of any class.
class TileOpx : public Opx {
 public:
  TileOpx(Op* op, Devicex* devicex);
  ~TileOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

class TileGradOpx : public Opx {
 public:
  TileGradOpx(Op* op, Devicex* devicex);
  ~TileGradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
