// The difference. After popart/popx/op/subtractx.hpp of PopART 3.
#ifndef popart_popx_op_subtractx_hpp
#define popart_popx_op_subtractx_hpp

#include <popart/popx/op/elementwisex.hpp>
#include <popart/popx/op/reducesumx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class SubtractOpx : public ElementWiseBinaryOpx {
 public:
  SubtractOpx(Op* op, Devicex* devicex);
  ~SubtractOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

/// The gradient of the first input: a sum over the dimensions that were broadcast.
class SubtractArg0GradOpx : public ReduceSumOpx {
 public:
  SubtractArg0GradOpx(Op* op, Devicex* devicex);
  ~SubtractArg0GradOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
