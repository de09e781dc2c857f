// Element-wise multiplication. After popart/op/mul.hpp of PopART 3.
#ifndef popart_op_mul_hpp
#define popart_op_mul_hpp

#include <popart/op/elementwise.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class MulOp : public ElementWiseBinaryOp {
 public:
  using ElementWiseBinaryOp::ElementWiseBinaryOp;
  ~MulOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  static OperatorIdentifier getOpId(const Ir& ir);

 private:
  bool hasRhsInplaceVariant() const override;
  std::unique_ptr<Op> getRhsInplaceVariant() const override;
  OperatorIdentifier getRhsOperatorIdentifier() const override;
  bool hasLhsInplaceVariant() const override;
  std::unique_ptr<Op> getLhsInplaceVariant() const override;
  OperatorIdentifier getLhsOperatorIdentifier() const override;
};

/// The gradient of input 0, a: g * b, summed over what was broadcast.
class MulArg0GradOp : public ElementWiseBinaryArg0GradOp {
 public:
  MulArg0GradOp(const Op& op, const std::vector<int64_t>& reductionAxes);
  ~MulArg0GradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// The gradient of input 1, b: g * a, summed over what was broadcast.
class MulArg1GradOp : public ElementWiseBinaryArg1GradOp {
 public:
  MulArg1GradOp(const Op& op, const std::vector<int64_t>& reductionAxes);
  ~MulArg1GradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// Overwrites its left input.
class MulLhsInplaceOp : public ElementWiseBinaryInplaceLhsOp, public builtin::Origin {
 public:
  explicit MulLhsInplaceOp(const Op::Settings& settings);
  ~MulLhsInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// Overwrites its right input.
class MulRhsInplaceOp : public ElementWiseBinaryInplaceRhsOp, public builtin::Origin {
 public:
  explicit MulRhsInplaceOp(const Op::Settings& settings);
  ~MulRhsInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
