// Logical and, element by element. After popart/popx/op/andx.hpp of PopART 3.
#ifndef popart_popx_op_andx_hpp
#define popart_popx_op_andx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class AndOpx : public BinaryComparisonOpx {
 public:
  AndOpx(Op* op, Devicex* devicex);
  ~AndOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
