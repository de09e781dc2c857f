// The lowering of Split. After popart/popx/op/splitx.hpp of PopART 3.
#ifndef popart_popx_op_splitx_hpp
#define popart_popx_op_splitx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// For operators that derive from SplitOp. Each output is a copy.
class SplitOpx : public Opx {
 public:
  SplitOpx(Op* op, Devicex* devicex);
  ~SplitOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
