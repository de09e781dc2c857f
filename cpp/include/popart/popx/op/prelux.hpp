// x where it is positive, else the product with a slope, the second input.
// After popart/popx/op/prelux.hpp of PopART 3.
#ifndef popart_popx_op_prelux_hpp
#define popart_popx_op_prelux_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class PReluOpx : public ElementWiseBinaryOpx {
 public:
  PReluOpx(Op* op, Devicex* devicex);
  ~PReluOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
