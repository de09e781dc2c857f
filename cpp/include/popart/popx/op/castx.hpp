// Conversions to the element type of the output. After popart/popx/op/castx.hpp of PopART 3.
#ifndef popart_popx_op_castx_hpp
#define popart_popx_op_castx_hpp

#include <popart/popx/opx.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class CastOpx : public Opx {
 public:
  CastOpx(Op* op, Devicex* devicex);
  ~CastOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

class CastGradOpx : public CastOpx {
 public:
  CastGradOpx(Op* op, Devicex* devicex);
  ~CastGradOpx() override;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
