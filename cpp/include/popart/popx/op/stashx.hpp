// Lowering of Stash. After popart/popx/op/stashx.hpp of PopART 3.
#ifndef popart_popx_op_stashx_hpp
#define popart_popx_op_stashx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Writes the input to the next place of the output. After the last place comes the first.
class StashOpx : public Opx {
 public:
  /// \throws error if the operator is no StashOp
  StashOpx(Op* op, Devicex* devicex);
  ~StashOpx() override;
  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
