// The remainder of x + increment by modulus. After popart/op/incrementmod.hpp of PopART 3.
#ifndef popart_op_incrementmod_hpp
#define popart_op_incrementmod_hpp

#include <popart/op/builtin.hpp>
#include <popart/op/elementwise.hpp>
#include <popart/op/gradient.hpp>

#include <memory>
#include <tuple>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class IncrementModOp : public ElementWiseUnaryOp {
 public:
  IncrementModOp(const OperatorIdentifier& opid, double increment, double modulus,
                 const Op::Settings& settings)
      : ElementWiseUnaryOp(opid, settings), increment_(increment), modulus_(modulus) {}
  ~IncrementModOp() override;

  std::unique_ptr<Op> clone() const override;
  std::vector<std::tuple<OperatorIdentifier, float>> inplacePriorityDefault() const override;
  std::unique_ptr<Op> getInplaceVariant(const OperatorIdentifier& id) const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override { builtin::refuseGradient(*this); }
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  double getIncrement() const { return increment_; }
  double getModulus() const { return modulus_; }

 private:
  double increment_, modulus_;
};

/// Its variant in place.
class IncrementModInplaceOp : public ElementWiseInplaceUnaryOp, public builtin::Origin {
 public:
  explicit IncrementModInplaceOp(const IncrementModOp& op);
  ~IncrementModInplaceOp() override;

  std::unique_ptr<Op> clone() const final;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  double getIncrement() const { return increment_; }
  double getModulus() const { return modulus_; }

 private:
  double increment_;
  double modulus_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
