// Whether the first is less, element by element. After popart/popx/op/lessx.hpp of PopART 3.
#ifndef popart_popx_op_lessx_hpp
#define popart_popx_op_lessx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class LessOpx : public BinaryComparisonOpx {
 public:
  LessOpx(Op* op, Devicex* devicex);
  ~LessOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
