// The logical complement. After popart/popx/op/notx.hpp of PopART 3.
#ifndef popart_popx_op_notx_hpp
#define popart_popx_op_notx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class NotOpx : public ElementWiseUnaryOpx {
 public:
  NotOpx(Op* op, Devicex* devicex);
  ~NotOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
