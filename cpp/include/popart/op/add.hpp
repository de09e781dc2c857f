// Element-wise addition. After popart/op/add.hpp of PopART 3.
#ifndef popart_op_add_hpp
#define popart_op_add_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class AddOp : public ElementWiseBinaryOp {
 public:
  using ElementWiseBinaryOp::ElementWiseBinaryOp;
  ~AddOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
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
