// -x. After popart/popx/op/negatex.hpp of PopART 3.
#ifndef popart_popx_op_negatex_hpp
#define popart_popx_op_negatex_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class NegateOpx : public ElementWiseUnaryOpx {
 public:
  NegateOpx(Op* op, Devicex* devicex);
  ~NegateOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

class NegateGradOpx : public ElementWiseUnaryOpx {
 public:
  NegateGradOpx(Op* op, Devicex* devicex);
  ~NegateGradOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
