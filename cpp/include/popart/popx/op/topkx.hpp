// The lowering of TopK. After popart/popx/op/topkx.hpp of PopART 3.
#ifndef popart_popx_op_topkx_hpp
#define popart_popx_op_topkx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// For operators that derive from TopKOp: the elements and, in output 1, their indices.
class TopKOpx : public Opx {
 public:
  TopKOpx(Op* op, Devicex* devicex);
  ~TopKOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
