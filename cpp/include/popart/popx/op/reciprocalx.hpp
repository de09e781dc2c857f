// 1 / x. After popart/popx/op/reciprocalx.hpp of PopART 3.
#ifndef popart_popx_op_reciprocalx_hpp
#define popart_popx_op_reciprocalx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class ReciprocalOpx : public ElementWiseUnaryOpx {
 public:
  ReciprocalOpx(Op* op, Devicex* devicex);
  ~ReciprocalOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
