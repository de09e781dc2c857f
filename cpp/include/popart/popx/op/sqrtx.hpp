// The square root. After popart/popx/op/sqrtx.hpp of PopART 3.
#ifndef popart_popx_op_sqrtx_hpp
#define popart_popx_op_sqrtx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class SqrtOpx : public ElementWiseUnaryOpx {
 public:
  SqrtOpx(Op* op, Devicex* devicex);
  ~SqrtOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
