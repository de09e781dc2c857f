// The mean of several tensors, element by element. After popart/popx/op/meanx.hpp of PopART 3.
#ifndef popart_popx_op_meanx_hpp
#define popart_popx_op_meanx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class MeanOpx : public ElementWiseUnaryOpx {
 public:
  MeanOpx(Op* op, Devicex* devicex);
  ~MeanOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
