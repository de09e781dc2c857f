// The lowering of Zeros. After popart/popx/op/zerosx.hpp of PopART 3.
#ifndef popart_popx_op_zerosx_hpp
#define popart_popx_op_zerosx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// Zeros in the shape of the operator's output.
class ZerosOpx : public Opx {
 public:
  ZerosOpx(Op* op, Devicex* devicex);
  ~ZerosOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
