// The place of the largest element along an axis. After popart/op/argmax.hpp of PopART 3.
#ifndef popart_op_argmax_hpp
#define popart_op_argmax_hpp

#include <popart/op/argextrema.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

class ArgMaxOp : public ArgExtremaOp {
 public:
  using ArgExtremaOp::ArgExtremaOp;
  ~ArgMaxOp() override;

  std::unique_ptr<Op> clone() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
