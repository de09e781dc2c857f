// The reciprocal. After popart/op/reciprocal.hpp of PopART 3.
#ifndef popart_op_reciprocal_hpp
#define popart_op_reciprocal_hpp

#include <popart/op/elementwise.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class ReciprocalOp : public ElementWiseUnaryOp {
 public:
  ReciprocalOp(const OperatorIdentifier& opid, const Op::Settings& settings);
  ~ReciprocalOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result, g, and the input x: -g / x^2.
class ReciprocalGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit ReciprocalGradOp(const ReciprocalOp& fwdOp);
  ~ReciprocalGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
