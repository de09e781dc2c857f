// The sine. After popart/popx/op/sinx.hpp of PopART 3.
#ifndef popart_popx_op_sinx_hpp
#define popart_popx_op_sinx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class SinOpx : public ElementWiseUnaryOpx {
 public:
  SinOpx(Op* op, Devicex* devicex);
  ~SinOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
