// The cosine. After popart/popx/op/cosx.hpp of PopART 3.
#ifndef popart_popx_op_cosx_hpp
#define popart_popx_op_cosx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class CosOpx : public ElementWiseUnaryOpx {
 public:
  CosOpx(Op* op, Devicex* devicex);
  ~CosOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
