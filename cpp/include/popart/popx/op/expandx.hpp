// Lowerings of Expand. After popart/popx/op/expandx.hpp of PopART 3.
#ifndef popart_popx_op_expandx_hpp
#define popart_popx_op_expandx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// The input, broadcast to the operator's output: a copy, or in place a view.
class ExpandOpx : public Opx {
 public:
  ExpandOpx(Op* op, Devicex* devicex);
  ~ExpandOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

class ExpandInplaceOpx : public Opx {
 public:
  ExpandInplaceOpx(Op* op, Devicex* devicex);
  ~ExpandInplaceOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

/// The gradient of the output, added up over what was broadcast. Of any class.
class ExpandGradOpx : public Opx {
 public:
  ExpandGradOpx(Op* op, Devicex* devicex);
  ~ExpandGradOpx() override;

  void grow(poplar::program::Sequence& prog) const override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
