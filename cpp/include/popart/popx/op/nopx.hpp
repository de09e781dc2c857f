// A copy of a tensor. After popart/popx/op/nopx.hpp of PopART 3.
#ifndef popart_popx_op_nopx_hpp
#define popart_popx_op_nopx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class NopOpx : public Opx {
 public:
  NopOpx(Op* op, Devicex* devicex);
  ~NopOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
