// The same tensor. After popart/op/nop.hpp of PopART 3.
#ifndef popart_op_nop_hpp
#define popart_op_nop_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class NopOp : public ElementWiseUnaryOp {
 public:
  NopOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~NopOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
