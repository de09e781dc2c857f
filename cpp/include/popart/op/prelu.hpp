// x, or a slope times x below 0. After popart/op/prelu.hpp of PopART 3.
#ifndef popart_op_prelu_hpp
#define popart_op_prelu_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class PReluOp : public ElementWiseBinaryOp {
 public:
  PReluOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~PReluOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
