// Powers. After popart/op/pow.hpp of PopART 3.
#ifndef popart_op_pow_hpp
#define popart_op_pow_hpp

#include <popart/op/elementwise.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class PowOp : public ElementWiseBinaryOp {
 public:
  using ElementWiseBinaryOp::ElementWiseBinaryOp;
  ~PowOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  static OperatorIdentifier getOpId(const Ir& ir);

 private:
  bool hasLhsInplaceVariant() const override;
  std::unique_ptr<Op> getLhsInplaceVariant() const override;
  OperatorIdentifier getLhsOperatorIdentifier() const override;
};

/// The gradient of input 0, a: g * b * a^(b - 1), summed over what was broadcast.
class PowArg0GradOp : public ElementWiseBinaryArg0GradOp {
 public:
  PowArg0GradOp(const Op& op, const std::vector<int64_t>& reductionAxes);
  ~PowArg0GradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// The gradient of input 1, b: g * y * log(a), of the result y, summed over what was broadcast.
class PowArg1GradOp : public ElementWiseBinaryArg1GradOp {
 public:
  PowArg1GradOp(const Op& op, const std::vector<int64_t>& reductionAxes);
  ~PowArg1GradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// Overwrites its left input.
class PowLhsInplaceOp : public ElementWiseBinaryInplaceLhsOp, public builtin::Origin {
 public:
  explicit PowLhsInplaceOp(const Op::Settings& settings);
  ~PowLhsInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
