// Detach. After popart/op/detach.hpp of PopART 3.
#ifndef popart_op_detach_hpp
#define popart_op_detach_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The input, through which no gradient flows.
class DetachOp : public ElementWiseUnaryOp {
 public:
  using ElementWiseUnaryOp::ElementWiseUnaryOp;
  ~DetachOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { return {}; }
};

/// Its variant in place.
class DetachInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit DetachInplaceOp(const DetachOp& op);
  ~DetachInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
