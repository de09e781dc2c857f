// Whether the first is greater, element by element. After popart/popx/op/greaterx.hpp of PopART 3.
#ifndef popart_popx_op_greaterx_hpp
#define popart_popx_op_greaterx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class GreaterOpx : public BinaryComparisonOpx {
 public:
  GreaterOpx(Op* op, Devicex* devicex);
  ~GreaterOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
