// Whether x is not a number. After popart/popx/op/isnanx.hpp of PopART 3.
#ifndef popart_popx_op_isnanx_hpp
#define popart_popx_op_isnanx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class IsNaNx : public ElementWiseUnaryOpx {
 public:
  IsNaNx(Op* op, Devicex* devicex);
  ~IsNaNx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
