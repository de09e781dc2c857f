// Whether x is infinite. After popart/popx/op/isinfx.hpp of PopART 3.
#ifndef popart_popx_op_isinfx_hpp
#define popart_popx_op_isinfx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class IsInfx : public ElementWiseUnaryOpx {
 public:
  IsInfx(Op* op, Devicex* devicex);
  ~IsInfx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
