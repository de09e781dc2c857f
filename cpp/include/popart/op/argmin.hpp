// The place of the smallest element along an axis. After popart/op/argmin.hpp of PopART 3.
#ifndef popart_op_argmin_hpp
#define popart_op_argmin_hpp

#include <popart/op/argextrema.hpp>

#include <memory>

#pragma GCC visibility push(default)

namespace popart {

class ArgMinOp : public ArgExtremaOp {
 public:
  using ArgExtremaOp::ArgExtremaOp;
  ~ArgMinOp() override;

  std::unique_ptr<Op> clone() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
