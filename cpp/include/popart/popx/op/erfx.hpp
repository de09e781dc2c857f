// The error function. After popart/popx/op/erfx.hpp of PopART 3.
#ifndef popart_popx_op_erfx_hpp
#define popart_popx_op_erfx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class ErfxOpx : public ElementWiseUnaryOpx {
 public:
  ErfxOpx(Op* op, Devicex* devicex);
  ~ErfxOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

/// The gradient, of that of the output and the input of the operator.
class ErfxGradOpx : public ElementWiseUnaryOpx {
 public:
  ErfxGradOpx(Op* op, Devicex* devicex);
  ~ErfxGradOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
