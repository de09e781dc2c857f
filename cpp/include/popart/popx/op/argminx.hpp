// The lowering of ArgMin. After popart/popx/op/argminx.hpp of PopART 3.
#ifndef popart_popx_op_argminx_hpp
#define popart_popx_op_argminx_hpp

#include <popart/popx/op/argextremax.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class ArgMinOpx : public ArgExtremaOpx {
 public:
  using ArgExtremaOpx::ArgExtremaOpx;
  ~ArgMinOpx() override;

 private:
  poplar::Tensor extremaOp(poplar::program::Sequence& prog, const poplar::Tensor& rows) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
