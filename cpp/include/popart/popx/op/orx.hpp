// Logical or, element by element. After popart/popx/op/orx.hpp of PopART 3.
#ifndef popart_popx_op_orx_hpp
#define popart_popx_op_orx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class OrOpx : public BinaryComparisonOpx {
 public:
  OrOpx(Op* op, Devicex* devicex);
  ~OrOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
