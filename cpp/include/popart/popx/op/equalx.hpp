// Whether two tensors are equal, element by element. After popart/popx/op/equalx.hpp of PopART 3.
#ifndef popart_popx_op_equalx_hpp
#define popart_popx_op_equalx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class EqualOpx : public BinaryComparisonOpx {
 public:
  EqualOpx(Op* op, Devicex* devicex);
  ~EqualOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
