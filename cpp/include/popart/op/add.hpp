// Element-wise addition. After popart/op/add.hpp of PopART 3.
#ifndef popart_op_add_hpp
#define popart_op_add_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/reducesum.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class AddOp : public ElementWiseBinaryOp {
 public:
  using ElementWiseBinaryOp::ElementWiseBinaryOp;
  ~AddOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;

 private:
  bool hasLhsInplaceVariant() const override;
  bool hasRhsInplaceVariant() const override;
  std::unique_ptr<Op> getLhsInplaceVariant() const override;
  std::unique_ptr<Op> getRhsInplaceVariant() const override;
  OperatorIdentifier getLhsOperatorIdentifier() const override;
  OperatorIdentifier getRhsOperatorIdentifier() const override;
};

/// The gradient of input 0, a: g, summed over what was broadcast.
class AddArg0GradOp : public ReduceSumOp {
 public:
  AddArg0GradOp(const Op& op, const std::vector<int64_t>& reductionAxes);
  ~AddArg0GradOp() override;

  std::unique_ptr<Op> clone() const final;
  void setup() final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final;
  const std::map<int, int>& gradOutToNonGradIn() const final;

 private:
  TensorInfo argInfo_;
};

/// The gradient of input 1, b: g, summed over what was broadcast.
class AddArg1GradOp : public ReduceSumOp {
 public:
  AddArg1GradOp(const Op& op, const std::vector<int64_t>& reductionAxes);
  ~AddArg1GradOp() override;

  std::unique_ptr<Op> clone() const final;
  void setup() final;
  const std::vector<GradInOutMapper>& gradInputInfo() const final;
  const std::map<int, int>& gradOutToNonGradIn() const final;

 private:
  TensorInfo argInfo_;
};

/// Adds to its left, or to its right input in place.
class AddLhsInplaceOp : public ElementWiseBinaryInplaceLhsOp {
 public:
  explicit AddLhsInplaceOp(const Op::Settings& settings);
  AddLhsInplaceOp(const OperatorIdentifier&, const Op::Settings& settings)
      : AddLhsInplaceOp(settings) {}
  ~AddLhsInplaceOp() override;

  std::unique_ptr<Op> clone() const override;
};
class AddRhsInplaceOp : public ElementWiseBinaryInplaceRhsOp {
 public:
  explicit AddRhsInplaceOp(const Op::Settings& settings);
  AddRhsInplaceOp(const OperatorIdentifier&, const Op::Settings& settings)
      : AddRhsInplaceOp(settings) {}
  ~AddRhsInplaceOp() override;

  std::unique_ptr<Op> clone() const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
