// log(1 + exp(x)). After popart/op/softplus.hpp of PopART 3.
#ifndef popart_op_softplus_hpp
#define popart_op_softplus_hpp

#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class SoftPlusOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~SoftPlusOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
};

/// Its gradient, of that of the result and the input.
class SoftPlusGradOp : public ElementWiseNonLinearUnaryGradOp {
 public:
  explicit SoftPlusGradOp(const SoftPlusOp& fwdOp);
  ~SoftPlusGradOp() override;

  std::unique_ptr<Op> clone() const final;
};

/// Its variant in place.
class SoftPlusInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit SoftPlusInplaceOp(const SoftPlusOp& op);
  ~SoftPlusInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
