// The square. After popart/popx/op/squarex.hpp of PopART 3.
#ifndef popart_popx_op_squarex_hpp
#define popart_popx_op_squarex_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class SquareOpx : public ElementWiseUnaryOpx {
 public:
  SquareOpx(Op* op, Devicex* devicex);
  ~SquareOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
