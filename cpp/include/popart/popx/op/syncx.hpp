// The lowering of Sync. After popart/popx/op/syncx.hpp of PopART 3.
#ifndef popart_popx_op_syncx_hpp
#define popart_popx_op_syncx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class SyncOpx : public Opx {
 public:
  SyncOpx(Op* op, Devicex* devicex);
  ~SyncOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
