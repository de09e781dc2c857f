// Lowerings of accumulation. After popart/popx/op/accumulatex.hpp of PopART 3.
#ifndef popart_popx_op_accumulatex_hpp
#define popart_popx_op_accumulatex_hpp

#include <popart/popx/op/varupdatex.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// For operators that derive from AccumulateBaseOp; the variable is updated in place. grow() is the
/// derived class's.
class AccumulateBaseOpx : public VarUpdateOpx {
 public:
  AccumulateBaseOpx(Op* op, Devicex* devicex) : VarUpdateOpx(op, devicex) {}
  ~AccumulateBaseOpx() override;

  void grow(poplar::program::Sequence& prog) const override = 0;
};

/// As the operator's type of accumulation says.
class AccumulateOpx final : public AccumulateBaseOpx {
 public:
  AccumulateOpx(Op* op, Devicex* devicex);
  ~AccumulateOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
