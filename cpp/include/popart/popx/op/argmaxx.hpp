// The lowering of ArgMax. After popart/popx/op/argmaxx.hpp of PopART 3.
#ifndef popart_popx_op_argmaxx_hpp
#define popart_popx_op_argmaxx_hpp

#include <popart/popx/op/argextremax.hpp>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

class ArgMaxOpx : public ArgExtremaOpx {
 public:
  using ArgExtremaOpx::ArgExtremaOpx;
  ~ArgMaxOpx() override;

 private:
  poplar::Tensor extremaOp(poplar::program::Sequence& prog, const poplar::Tensor& rows) const final;
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
