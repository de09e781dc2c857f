// The absolute value. After popart/popx/op/absx.hpp of PopART 3.
#ifndef popart_popx_op_absx_hpp
#define popart_popx_op_absx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class AbsOpx : public ElementWiseUnaryOpx {
 public:
  AbsOpx(Op* op, Devicex* devicex);
  ~AbsOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
