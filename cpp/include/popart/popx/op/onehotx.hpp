// Lowerings of OneHot. After popart/popx/op/onehotx.hpp of PopART 3.
#ifndef popart_popx_op_onehotx_hpp
#define popart_popx_op_onehotx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// For operators that derive from OnehotOp. An index outside of the depth gives no element.
class OnehotOpx : public Opx {
 public:
  OnehotOpx(Op* op, Devicex* devicex);
  ~OnehotOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

/// The gradient of both values: the sums of that of the output where they are.
class OnehotGradOpx : public Opx {
 public:
  OnehotGradOpx(Op* op, Devicex* devicex);
  ~OnehotGradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
