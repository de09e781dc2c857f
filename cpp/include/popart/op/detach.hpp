// Detach. After popart/op/detach.hpp of PopART 3.
#ifndef popart_op_detach_hpp
#define popart_op_detach_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The input, through which no gradient flows.
class DetachOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~DetachOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { return {}; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
