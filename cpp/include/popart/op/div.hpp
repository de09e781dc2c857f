// Element-wise division. After popart/op/div.hpp of PopART 3.
#ifndef popart_op_div_hpp
#define popart_op_div_hpp

#include <popart/op/elementwise.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class DivOp : public ElementWiseBinaryOp {
 public:
  DivOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~DivOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// The gradient of input 0, a: g / b, summed over what was broadcast.
class DivArg0GradOp : public ElementWiseBinaryArg0GradOp {
 public:
  DivArg0GradOp(const Op& op, const std::vector<int64_t>& reductionAxes);
  ~DivArg0GradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// The gradient of input 1, b: -g * a / b^2, summed over what was broadcast.
class DivArg1GradOp : public ElementWiseBinaryArg1GradOp {
 public:
  DivArg1GradOp(const Op& op, const std::vector<int64_t>& reductionAxes);
  ~DivArg1GradOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
