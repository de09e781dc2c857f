// Element-wise subtraction. After popart/op/subtract.hpp of PopART 3.
#ifndef popart_op_subtract_hpp
#define popart_op_subtract_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/reducesum.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SubtractOp : public ElementWiseBinaryOp {
 public:
  using ElementWiseBinaryOp::ElementWiseBinaryOp;
  ~SubtractOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// The gradient of input 0, a: g, summed over what was broadcast.
class SubtractArg0GradOp : public ReduceSumOp {
 public:
  SubtractArg0GradOp(const Op& op, const std::vector<int64_t>& reductionAxes);
  ~SubtractArg0GradOp() override;

  std::unique_ptr<Op> clone() const final;
  void setup() final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final;
  const std::map<int, int>& gradOutToNonGradIn() const final;

 private:
  TensorInfo argInfo_;
};

/// The gradient of input 1, b: -g, summed over what was broadcast.
class SubtractArg1GradOp : public ElementWiseBinaryArg1GradOp {
 public:
  SubtractArg1GradOp(const Op& op, const std::vector<int64_t>& reductionAxes);
  ~SubtractArg1GradOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
