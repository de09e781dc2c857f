// The quotient. After popart/popx/op/divx.hpp of PopART 3.
#ifndef popart_popx_op_divx_hpp
#define popart_popx_op_divx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class DivOpx : public ElementWiseBinaryOpx {
 public:
  DivOpx(Op* op, Devicex* devicex);
  ~DivOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
