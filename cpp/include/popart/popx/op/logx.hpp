// The natural logarithm. After popart/popx/op/logx.hpp of PopART 3.
#ifndef popart_popx_op_logx_hpp
#define popart_popx_op_logx_hpp

#include <popart/popx/op/elementwisex.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class LogOpx : public ElementWiseUnaryOpx {
 public:
  LogOpx(Op* op, Devicex* devicex);
  ~LogOpx() override;

  void grow(poplar::program::Sequence& prog) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
